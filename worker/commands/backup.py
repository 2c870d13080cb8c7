"""`flake-triage db backup` and `db restore`."""

from pathlib import Path
from typing import Annotated

import typer

from app.clock import SystemClock
from app.settings import Settings
from worker import says
from worker.backup import whole
from worker.backup.label import Label
from worker.says import JsonFlag

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The backup's folder.")]


def backup_command(folder: Folder, *, as_json: JsonFlag = False) -> None:
    """Copy all databases into a new folder while the service runs; PostgreSQL's by pg_dump."""
    made = whole.take(Settings(), folder, now=SystemClock().now())
    _tell(made, folder, "was written", as_json=as_json)


def restore_command(folder: Folder, *, as_json: JsonFlag = False) -> None:
    """Bring a backup back to where the settings say, if no databases are there; the service must not run."""
    found = whole.bring_back(Settings(), folder)
    _tell(found, folder, "was brought back", as_json=as_json)
    says.progress(
        f"What was delivered after {found.taken_at:%Y-%m-%d %H:%M} UTC has to come again: "
        "the worker finds missed runs itself, or redeliver in the webhook's settings."
    )


def _tell(label: Label, folder: Path, done: str, *, as_json: bool) -> None:
    if as_json:
        taken_at = label.taken_at.isoformat()
        says.line({"folder": str(folder), "kind": label.kind, "taken_at": taken_at, "files": label.files})
    else:
        says.text(f"{folder} {done}: {', '.join(label.files)}")


def register(commands: typer.Typer) -> None:
    """Add them to the commands of `db`."""
    place = "/var/backups/flake-triage/monday"
    commands.command("backup", epilog=f"Example: flake-triage db backup {place}")(backup_command)
    commands.command("restore", epilog=f"Example: flake-triage db restore {place}")(restore_command)
