"""`flake-triage tasks`: what the worker has to do, and the dead letters that a person may retry."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from sqlalchemy import Engine

from app.clock import SystemClock
from app.settings import Settings
from app.store import tasks
from app.store.session import read_only, unit_of_work
from app.store.tasks import Task, TaskState
from worker import says
from worker.commands.database import existing_store
from worker.says import JsonFlag

commands = typer.Typer(
    no_args_is_help=True,
    help="See the worker's tasks and retry dead ones.",
    epilog="Example: flake-triage tasks list --state dead",
)

MOST_AT_ONCE = 10_000


@commands.command("list", epilog="Example: flake-triage tasks list --state dead --json")
def list_command(
    *,
    state: Annotated[TaskState | None, typer.Option(help="Only tasks in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=MOST_AT_ONCE, help="At most so many.")] = 100,
    as_json: JsonFlag = False,
) -> None:
    """List tasks, those that changed last first. Works while the worker runs."""
    with _store() as store, read_only(store) as session:
        found = tasks.newest(session, state=state, limit=limit)
    for task in found:
        if as_json:
            says.line(_record(task))
        else:
            says.text(_row(task))
    if not found:
        says.progress("No tasks." if state is None else f"No tasks are {state}.")


@commands.command(
    "retry", epilog="Example: flake-triage tasks retry delivery:0b989ba4-242f-11e5-81e1-c7b6966d2516"
)
def retry_command(
    keys: Annotated[
        list[str] | None, typer.Argument(help="Keys of dead tasks, as `tasks list` shows them.")
    ] = None,
    *,
    all_dead: Annotated[bool, typer.Option("--all", help="Retry every dead task.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Give dead tasks their tries back. The worker takes them up at once, or when it is started."""
    if bool(keys) == all_dead:
        raise typer.BadParameter("name the keys of dead tasks, or use --all")
    with _store() as store:
        wanted = _dead_keys(store) if all_dead else list(dict.fromkeys(keys or ()))
        retried = [key for key in wanted if _retry(store, key, as_json=as_json)]
    if retried:
        return
    if all_dead:
        says.progress("No tasks are dead.")
        return
    says.progress("Nothing was retried.")
    raise typer.Exit(says.NOTHING_DONE)


def _retry(store: Engine, key: str, *, as_json: bool) -> bool:
    with unit_of_work(store) as session:
        is_retried = tasks.requeue(session, key, at=SystemClock().now()) is not None
    if as_json:
        says.line({"key": key, "retried": is_retried})
    elif is_retried:
        says.text(f"{key}: will be tried again")
    else:
        says.progress(f"{key}: is not a dead task")
    return is_retried


def _dead_keys(store: Engine) -> list[str]:
    with read_only(store) as session:
        return [task.key for task in tasks.newest(session, state=TaskState.DEAD, limit=MOST_AT_ONCE)]


@contextmanager
def _store() -> Iterator[Engine]:
    with existing_store(Settings(), subject="tasks") as store:
        yield store


def _record(task: Task) -> dict[str, object]:
    return {
        "key": task.key,
        "stage": task.stage,
        "state": task.state.value,
        "partition": task.partition,
        "payload": dict(task.payload),
        "tries": task.tries,
        "total_tries": task.total_tries,
        "interrupted": task.interrupted,
        "executor": task.executor,
        "error_family": task.error_family,
        "error": task.error,
        "next_at": task.next_at and task.next_at.isoformat(),
        "created_at": task.created_at.isoformat(),
        "updated_at": task.updated_at.isoformat(),
    }


def _row(task: Task) -> str:
    why = f"  {task.error_family}: {task.error}" if task.error else ""
    until = f"  until {task.next_at:%Y-%m-%d %H:%M:%S} UTC" if task.next_at else ""
    tries = f"{task.total_tries} {'try' if task.total_tries == 1 else 'tries'}"
    return " ".join(f"{task.state.value:8}{tries:>9}  {task.key}{until}{why}".splitlines())
