"""`flake-triage db`: the databases' schema."""

import typer

from app.settings import Settings
from worker import says
from worker.says import JsonFlag
from worker.upgrade import upgrade

commands = typer.Typer(no_args_is_help=True, help="Look after the databases.")


@commands.callback()
def _group() -> None:
    """Look after the databases."""


@commands.command("upgrade", epilog="Example: flake-triage db upgrade")
def upgrade_command(*, as_json: JsonFlag = False) -> None:
    """Bring the databases to the newest schema. Safe to repeat; serve, web and worker do it themselves."""
    settings = Settings()
    upgrade(settings)
    if as_json:
        says.line({"data_dir": str(settings.data_dir), "upgraded": True})
    else:
        says.text(f"The databases in {settings.data_dir} are up to date.")
