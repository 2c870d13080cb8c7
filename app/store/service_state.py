"""How the service stands, in figures, each of one read.

Those of tasks and deliveries are bounded. Comments and alerts are counted whole: one for each pull request or
red branch told of. What came since the totals' mark is of some minutes; without a worker it grows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from app.store import measures, totals, workers
from app.store.inbox import DeliveryRow, DeliveryState
from app.store.reports import AlertRow, AlertState, CommentRow
from app.store.tasks import TaskRow, TaskState
from app.store.totals import Counts
from app.store.watch import WatchRow

COUNTED = 20_000
"""Tasks of one state, and deliveries, are counted so far; more is more."""

REPOSITORIES = 200


@dataclass(frozen=True, slots=True)
class Backlog:
    """Tasks of one stage and state that have not ended well; `oldest_at` is when the first was asked for."""

    stage: str
    state: TaskState
    count: int
    oldest_at: datetime


@dataclass(frozen=True, slots=True)
class Look:
    """When a repository's list of runs was last looked at with success; None: never."""

    repo_name: str
    looked_at: datetime | None
    in_trouble: bool


@dataclass(frozen=True, slots=True)
class Budget:
    """GitHub's hourly budget as last seen, in requests; `resets_s` is in seconds since 1970."""

    limit: int
    remaining: int
    resets_s: int
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class ServiceState:
    waiting: int
    waiting_since: datetime | None
    backlog: Sequence[Backlog]
    totals: Counts
    comments: int
    alerts: int
    open_alerts: int
    beats_s: Sequence[float]
    """Ages of the workers' leases, by the database's clock."""
    looks: Sequence[Look]
    budget: Budget | None
    removed_at: datetime | None
    """When what is past its time was last removed."""


def read(session: Session, inbox: Session, *, now: datetime) -> ServiceState:
    waiting, waiting_since = _waiting(inbox)
    removal = measures.one(session, measures.REMOVAL)
    return ServiceState(
        waiting=waiting,
        waiting_since=waiting_since,
        backlog=list(_backlog(session)),
        totals=totals.until_now(session, inbox, now=now),
        comments=session.scalars(select(func.count()).select_from(CommentRow)).one(),
        alerts=session.scalars(select(func.count()).select_from(AlertRow)).one(),
        open_alerts=session.scalars(
            select(func.count()).select_from(AlertRow).where(AlertRow.state == AlertState.OPEN.value)
        ).one(),
        beats_s=[lease.age_s for lease in workers.leases(session)],
        looks=_looks(session),
        budget=_budget(session),
        removed_at=None if removal is None else removal.at,
    )


def stored_bytes(session: Session) -> tuple[int, int]:
    """The size of a database, and how much of it is free to be used again (0 where that is not told)."""
    if session.get_bind().dialect.name != "sqlite":
        return session.scalars(select(func.pg_database_size(func.current_database()))).one(), 0
    page, pages, free = (
        int(session.execute(text(f"PRAGMA {name}")).scalar_one())
        for name in ("page_size", "page_count", "freelist_count")
    )
    return page * pages, page * free


def _waiting(inbox: Session) -> tuple[int, datetime | None]:
    """Served by ix_deliveries_waiting."""
    some = (
        select(DeliveryRow.received_at)
        .where(DeliveryRow.state == DeliveryState.WAITING.value)
        .order_by(DeliveryRow.received_at)
        .limit(COUNTED)
        .subquery()
    )
    count, oldest = inbox.execute(select(func.count(), func.min(some.c.received_at))).one()
    return count, oldest


def _backlog(session: Session) -> Iterator[Backlog]:
    """Served by ix_tasks_state; done tasks, of which there are many, are not asked for."""
    for state in (TaskState.QUEUED, TaskState.RUNNING, TaskState.WAITING, TaskState.DEAD):
        some = (
            select(TaskRow.stage, TaskRow.created_at)
            .where(TaskRow.state == state.value)
            .order_by(TaskRow.updated_at)
            .limit(COUNTED)
            .subquery()
        )
        by_stage = select(some.c.stage, func.count(), func.min(some.c.created_at)).group_by(some.c.stage)
        for stage, count, oldest in session.execute(by_stage.order_by(some.c.stage)):
            yield Backlog(stage, state, count, oldest)


def _looks(session: Session) -> list[Look]:
    statement = (
        select(WatchRow.shown_name, WatchRow.looked_at, WatchRow.trouble)
        .order_by(WatchRow.full_name)
        .limit(REPOSITORIES)
    )
    return [Look(name, at, trouble is not None) for name, at, trouble in session.execute(statement)]


def _budget(session: Session) -> Budget | None:
    names = (measures.GITHUB_LIMIT, measures.GITHUB_REMAINING, measures.GITHUB_RESET)
    limit, remaining, reset = (measures.one(session, name) for name in names)
    if limit is None or remaining is None or reset is None:
        return None
    return Budget(limit.value, remaining.value, reset.value, limit.at)
