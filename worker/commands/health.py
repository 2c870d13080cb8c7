"""`flake-triage health`: whether a worker lives, for whoever restarts one that does not."""

import socket
from typing import Annotated

import typer

from app.settings import Settings
from app.store import workers
from app.store.session import read_only
from worker import says
from worker.commands.database import existing_store
from worker.queue.lease import USUAL_LEASE
from worker.says import JsonFlag


def health(
    *,
    anywhere: Annotated[bool, typer.Option("--anywhere", help="A worker on any host will do.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Exit 0 if a worker on this host has renewed its lease in the last 30 seconds, 1 if none has.

    Exits 3 where there is no database to look into.
    """
    host = socket.gethostname()[:100]
    with existing_store(Settings(), subject="health") as store, read_only(store) as session:
        leases = [one for one in workers.leases(session) if anywhere or one.worker.host == host]
    ages_s = sorted(one.age_s for one in leases)
    alive = [age_s for age_s in ages_s if age_s <= USUAL_LEASE.expires_s]
    silent_s = ages_s[0] if ages_s else None
    if as_json:
        says.line({"alive": len(alive), "silent_s": silent_s})
    elif alive:
        says.text(f"{len(alive)} alive; the last beat was {ages_s[0]:.0f} s ago")
    else:
        where = "" if anywhere else f" on {host}"
        said = "there is none" if silent_s is None else f"the last beat was {silent_s:.0f} s ago"
        says.progress(f"flake-triage: no worker lives{where}: {said}")
    if not alive:
        raise typer.Exit(says.CHECKED_BAD)


def register(cli: typer.Typer) -> None:
    cli.command(epilog="Example: flake-triage health || systemctl restart flake-triage-worker")(health)
