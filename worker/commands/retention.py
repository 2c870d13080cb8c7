"""`flake-triage retention run`: remove now what the worker removes once a day."""

from typing import Annotated

import typer

from app.clock import SystemClock
from app.settings import Settings
from app.store.session import open_inbox
from worker import says
from worker.commands.database import existing_store
from worker.housekeeping.horizon import Horizon
from worker.housekeeping.removal import Removal
from worker.says import JsonFlag

commands = typer.Typer(
    no_args_is_help=True,
    help="Remove what is past its time.",
    epilog="Example: flake-triage retention run --dry-run",
)


@commands.callback()
def _group() -> None:
    """Remove what is past its time."""


@commands.command("run", epilog="Example: flake-triage retention run --dry-run --json")
def run(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what would go, remove nothing.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Remove what is past its time and needed by nobody, beside the running service.

    The worker does so once a day by itself, and also asks GitHub which pull requests were closed meanwhile.
    """
    settings = Settings()
    horizon = Horizon.seen_from(SystemClock().now(), settings)
    with existing_store(settings, subject="retention") as store:
        inbox = open_inbox(settings.inbox_database_url)
        try:
            removal = Removal(store, inbox, horizon)
            counts = removal.would_go() if dry_run else removal.run()[0]
        finally:
            inbox.dispose()
    told = {name: count for name, count in sorted(counts.items()) if count}
    if as_json:
        says.line({"dry_run": dry_run, "rows": told})
    elif not told:
        says.text("Nothing is past its time.")
    else:
        says.text("Would go:" if dry_run else "Removed:")
        for name, count in told.items():
            says.text(f"  {count:>12,}  {name.replace('_', ' ')}")
