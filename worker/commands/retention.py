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
    A dry run tells less: orders, and texts and files that others share, are counted as they go.
    """
    settings = Settings()
    horizon = Horizon.seen_from(SystemClock().now(), settings)
    with existing_store(settings, subject="retention") as store:
        inbox = open_inbox(settings.inbox_database_url)
        try:
            removal = Removal(store, inbox, horizon)
            removed = removal.would_go() if dry_run else removal.run()[0]
        finally:
            inbox.dispose()
    rows = {name: count for name, count in sorted(removed.rows.items()) if count}
    if as_json:
        told = {"dry_run": dry_run, "rows": rows, "texts": removed.texts}
        says.line(told if dry_run else told | {"bytes": removed.bytes})
    elif not removed:
        says.text("Nothing is past its time.")
    else:
        says.text("Would go:" if dry_run else "Removed:")
        for name, count in (rows | {"texts of failures": removed.texts, "bytes": removed.bytes}).items():
            if count:
                says.text(f"  {count:>12,}  {name.replace('_', ' ')}")
