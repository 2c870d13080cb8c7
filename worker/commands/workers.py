"""`flake-triage workers`: which workers live, as far as their leases tell, and what they run."""

from collections import Counter

import typer

from app.store import tasks, workers
from app.store.tasks import TaskState
from app.store.workers import Lease
from worker import says
from worker.commands.database import reading
from worker.commands.tasks import MOST_AT_ONCE
from worker.says import JsonFlag


def list_workers(*, as_json: JsonFlag = False) -> None:
    """List the workers that have a lease, the oldest first, with their last beat and running tasks."""
    with reading("workers") as session:
        found = workers.leases(session)
        running = tasks.newest(session, state=TaskState.RUNNING, limit=MOST_AT_ONCE)
    count = Counter(task.executor for task in running)
    for lease in found:
        if as_json:
            says.line(_record(lease, count[lease.worker.executor]))
        else:
            says.text(_row(lease, count[lease.worker.executor]))
    if not found:
        says.progress("No worker lives.")


def _record(lease: Lease, running: int) -> dict[str, object]:
    return {
        "executor": lease.worker.executor,
        "host": lease.worker.host,
        "pid": lease.worker.pid,
        "version": lease.worker.version,
        "started_at": lease.started_at.isoformat(),
        "beat_at": lease.beat_at.isoformat(),
        "beat_age_s": round(lease.age_s, 1),
        "running": running,
    }


def _row(lease: Lease, running: int) -> str:
    what = f"{running} running {'task' if running == 1 else 'tasks'}"
    return f"{lease.worker.executor}  heard of {lease.age_s:.0f} s ago  {what}"


def register(cli: typer.Typer) -> None:
    cli.command(name="workers", epilog="Example: flake-triage workers --json")(list_workers)
