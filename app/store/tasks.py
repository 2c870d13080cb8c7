"""Tasks: what the engine was given, how it went, and the dead letters a person may retry."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Index, exists, func, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.store import outbox
from app.store.base import Base, Json, LongText, ShortText
from app.store.expressions import by_code_points
from app.store.outbox import Order, OutboxRow
from app.store.upsert import insert_missing
from app.store.workers import WorkerRow


class TaskState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"  # failed in a way that may pass; tried again at `next_at`
    DONE = "done"
    DEAD = "dead"  # given up; a person may retry it


CREDENTIALS = "credentials"
"""The family of errors by which GitHub refuses us, whatever the task."""

LOOK_AGAIN = timedelta(seconds=1)
"""How long a task is put off whose partition another worker is at."""

_UNFINISHED = (TaskState.QUEUED.value, TaskState.RUNNING.value, TaskState.WAITING.value)


class TaskRow(Base):
    __tablename__ = "tasks"
    __table_args__ = (Index("ix_tasks_state", "state", "updated_at"),)

    key: Mapped[str] = mapped_column(ShortText(300), primary_key=True)
    stage: Mapped[str] = mapped_column(ShortText(60))
    payload: Mapped[dict[str, Any]] = mapped_column(Json)
    partition: Mapped[str | None] = mapped_column(ShortText(400))
    state: Mapped[str] = mapped_column(ShortText(20))
    tries: Mapped[int] = mapped_column(default=0)
    """Tries since it was queued or last retried by a person."""
    total_tries: Mapped[int] = mapped_column(default=0)
    number: Mapped[int] = mapped_column(default=1)
    """The order that counts now: a try started for an older one has been overtaken and does nothing."""
    interrupted: Mapped[int] = mapped_column(default=0)
    """Tries that ended with their worker, since it was queued or last retried by a person."""
    executor: Mapped[str | None] = mapped_column(ShortText(200))
    """The worker that began the last try."""
    error_family: Mapped[str | None] = mapped_column(ShortText(40))
    error: Mapped[str | None] = mapped_column(LongText)
    next_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


@dataclass(frozen=True, slots=True)
class Task:
    key: str
    stage: str
    payload: Mapping[str, Any]
    partition: str | None
    state: TaskState
    tries: int
    total_tries: int
    number: int
    interrupted: int
    executor: str | None
    error_family: str | None
    error: str | None
    next_at: datetime | None
    created_at: datetime
    updated_at: datetime


def note_once(session: Session, orders: Sequence[Order], *, at: datetime) -> int:
    """Note that the ordered tasks exist; return how many were new. Tasks known already stay as they are."""
    rows = [
        {
            "key": order.key,
            "stage": order.stage,
            "payload": dict(order.payload),
            "partition": order.partition,
            "state": TaskState.QUEUED.value,
            "tries": 0,
            "total_tries": 0,
            "number": 1,
            "interrupted": 0,
            "created_at": at,
            "updated_at": at,
        }
        for order in orders
    ]
    return insert_missing(session, TaskRow, rows, unique=["key"])


def begin_try(
    session: Session,
    key: str,
    *,
    number: int,
    at: datetime,
    executor: str | None = None,
    apart_from: Collection[str] = (),
) -> Task | None:
    """Count a try and mark the task running; a try cut short by the end of its worker counts as well.

    None if there is nothing to do: the task is done or dead, a later order has overtaken this one, or the
    database lost its last writes and will ask for the task again. None as well while another living worker
    runs a task of the same partition in one of the stages `apart_from`: the task is then ordered again.
    """
    row = _current(session, key, number)
    if row is None:
        return None
    if apart_from and _is_taken(session, row, executor, apart_from):
        row.next_at, row.updated_at = at + LOOK_AGAIN, at
        _order_next(session, row)
        return None
    if row.state == TaskState.RUNNING.value:
        row.interrupted += 1
    row.state, row.tries, row.total_tries = TaskState.RUNNING.value, row.tries + 1, row.total_tries + 1
    row.executor, row.next_at, row.updated_at = executor, None, at
    return _task(row)


def finish(session: Session, key: str, *, at: datetime, token: int | None = None) -> bool:
    """With `token`, the `total_tries` of a try, only if no other try has begun since; False if one has."""
    return _set(session, key, token, state=TaskState.DONE, at=at, error=None, family=None)


def wait(
    session: Session,
    key: str,
    *,
    at: datetime,
    next_at: datetime,
    family: str,
    error: str,
    tries: int | None = None,
    token: int | None = None,
) -> bool:
    """Have the task tried again at `next_at`: the order for that try is written with it.

    `tries` is set where earlier ones are not to count; `token` is that of `finish`.
    """
    row = session.get_one(TaskRow, key)
    if token is not None and not _is_running(row, token):
        return False
    row.tries = row.tries if tries is None else tries
    row.state, row.next_at, row.updated_at = TaskState.WAITING.value, next_at, at
    row.error_family, row.error = family, error
    _order_next(session, row)
    return True


def bury(
    session: Session, key: str, *, at: datetime, family: str, error: str, token: int | None = None
) -> bool:
    """Give the task up; `token` is that of `finish`."""
    return _set(session, key, token, state=TaskState.DEAD, at=at, error=error, family=family)


def is_ended(session: Session, key: str, *, token: int) -> bool:
    """Whether the last try to begin was the one of that `total_tries`, and its end is noted."""
    row = session.get(TaskRow, key)
    return row is not None and row.total_tries == token and row.state != TaskState.RUNNING.value


def requeue(session: Session, key: str, *, at: datetime) -> Task | None:
    """Give a dead task its tries back and order it; None if there is no dead task of that key."""
    row = session.get(TaskRow, key)
    if row is None or row.state != TaskState.DEAD.value:
        return None
    row.state, row.tries, row.interrupted = TaskState.QUEUED.value, 0, 0
    row.next_at, row.updated_at = None, at
    _order_next(session, row)
    return _task(row)


def relay_unfinished_again(session: Session, *, keys: Collection[str] | None = None) -> int:
    """Have the orders of all unfinished tasks, or of those among `keys`, handed to the engine once more.

    Return how many. To the engine an order that it has already changes nothing.
    """
    current = exists().where(
        TaskRow.key == OutboxRow.key, TaskRow.number == OutboxRow.number, TaskRow.state.in_(_UNFINISHED)
    )
    relayed = OutboxRow.relayed_at.is_not(None)
    again = update(OutboxRow).where(relayed, current).values(relayed_at=None).returning(OutboxRow.id)
    if keys is not None:
        again = again.where(OutboxRow.key.in_(keys))
    return len(session.scalars(again).all())


def order_again(session: Session, key: str, *, number: int, at: datetime) -> bool:
    """Order a task whose order will not run; False if the task has ended or was ordered again meanwhile."""
    row = _current(session, key, number)
    if row is None:
        return False
    row.next_at, row.updated_at = None, at
    _order_next(session, row)
    return True


def by_key(session: Session, key: str) -> Task | None:
    row = session.get(TaskRow, key)
    return None if row is None else _task(row)


def begun_by(session: Session, executor: str) -> list[Task]:
    """What a worker began to run and has not ended: a few, since its threads are."""
    running = select(TaskRow).where(TaskRow.state == TaskState.RUNNING.value, TaskRow.executor == executor)
    return [_task(row) for row in session.scalars(running)]


def newest(session: Session, *, state: TaskState | None, limit: int) -> list[Task]:
    statement = select(TaskRow).order_by(TaskRow.updated_at.desc(), by_code_points(TaskRow.key)).limit(limit)
    if state is not None:
        statement = statement.where(TaskRow.state == state.value)
    return [_task(row) for row in session.scalars(statement)]


def counts(session: Session) -> dict[TaskState, int]:
    found = session.execute(select(TaskRow.state, func.count()).group_by(TaskRow.state))
    return {TaskState(state): count for state, count in found}


def _current(session: Session, key: str, number: int) -> TaskRow | None:
    """The unfinished task for which this order counts."""
    row = session.get(TaskRow, key)
    return row if row is not None and row.number == number and row.state in _UNFINISHED else None


def _order_next(session: Session, row: TaskRow) -> None:
    row.number += 1
    outbox.ask(
        session,
        Order(row.key, row.stage, row.payload, row.partition, run_after=row.next_at, number=row.number),
    )


def _set(
    session: Session,
    key: str,
    token: int | None,
    *,
    state: TaskState,
    at: datetime,
    error: str | None,
    family: str | None,
) -> bool:
    row = session.get(TaskRow, key)
    if row is None or (token is not None and not _is_running(row, token)):
        return False
    row.state, row.updated_at, row.next_at = state.value, at, None
    row.error, row.error_family = error, family
    return True


def _is_running(row: TaskRow, token: int) -> bool:
    return row.state == TaskState.RUNNING.value and row.total_tries == token


def _is_taken(session: Session, row: TaskRow, executor: str | None, stages: Collection[str]) -> bool:
    """Whether another worker, not known to be dead, runs a task of this partition in these stages.

    The queue sees to it already, but not to the last: two workers that look at the same moment can take
    two entries of one partition, where one more came between their looks. Here writers are one by one.
    """
    other = select(TaskRow.key).where(
        TaskRow.state == TaskState.RUNNING.value,
        TaskRow.partition == row.partition,
        TaskRow.key != row.key,
        TaskRow.stage.in_(stages),
        TaskRow.executor != executor,
        TaskRow.executor.in_(select(WorkerRow.executor_id)),
    )
    return row.partition is not None and session.scalars(other.limit(1)).first() is not None


def _task(row: TaskRow) -> Task:
    return Task(
        key=row.key,
        stage=row.stage,
        payload=row.payload,
        partition=row.partition,
        state=TaskState(row.state),
        tries=row.tries,
        total_tries=row.total_tries,
        number=row.number,
        interrupted=row.interrupted,
        executor=row.executor,
        error_family=row.error_family,
        error=row.error,
        next_at=row.next_at,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
