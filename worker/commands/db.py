"""`flake-triage db`: the databases' schema."""

import typer

from app.settings import Settings
from worker import says
from worker.says import JsonFlag
from worker.upgrade import upgrade

commands = typer.Typer(
    no_args_is_help=True, help="Look after the databases.", epilog="Example: flake-triage db upgrade"
)


@commands.callback()
def _group() -> None:
    """Look after the databases."""


@commands.command("upgrade", epilog="Example: flake-triage db upgrade")
def upgrade_command(*, as_json: JsonFlag = False) -> None:
    """Bring the databases to the newest schema. Safe to repeat; serve, web and worker do it themselves."""
    settings = Settings()
    is_changed = upgrade(settings)
    if as_json:
        says.line({**settings.place, "upgraded": is_changed})
    elif is_changed:
        says.text(f"The databases in {settings.database_shown} were brought to the newest schema.")
    else:
        says.text(f"The databases in {settings.database_shown} were up to date already.")
