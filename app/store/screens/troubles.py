"""What needs a look: gaps, deliveries that wait or cannot be read, tasks that wait, and dead letters."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.domain.gap import Gap, GapKind
from app.domain.ids import DeliveryId, RepoName, RunId
from app.store.expressions import by_code_points
from app.store.gaps import GapRow
from app.store.inbox import DeliveryRow, DeliveryState
from app.store.repos import RepoRow
from app.store.runs import AttemptRow, RunRow
from app.store.tasks import CREDENTIALS, TaskRow, TaskState


@dataclass(frozen=True, slots=True)
class GapLine:
    key: int
    attempt: int
    repo_name: RepoName
    run: RunId
    gap: Gap
    noted_at: datetime


@dataclass(frozen=True, slots=True)
class DeliveryLine:
    """A delivery without its body, which can be 25 MB."""

    guid: DeliveryId
    event: str
    action: str | None
    repo: str | None
    state: DeliveryState
    note: str
    seen: int
    received_at: datetime


@dataclass(frozen=True, slots=True)
class DeadLetter:
    key: str
    stage: str
    total_tries: int
    error_family: str | None
    error: str | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class WaitingTask:
    """A task whose last try failed in a way that may pass; `next_at` is when it is tried again."""

    key: str
    stage: str
    tries: int
    error_family: str | None
    error: str | None
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class RefusedAccess:
    """Tasks that wait until a person has mended our token, or our App's rights; `reason` is the newest."""

    tasks: int
    since: datetime
    reason: str


def gap_lines(session: Session, *, before: int | None, limit: int) -> list[GapLine]:
    """Newest noted first, from below the key `before`. Walks the primary key backwards."""
    statement = (
        select(GapRow, RunRow.github_id, RepoRow.shown_name)
        .join(AttemptRow, AttemptRow.id == GapRow.attempt_id)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .join(RepoRow, RepoRow.id == RunRow.repo_id)
        .order_by(GapRow.id.desc())
        .limit(limit)
    )
    if before is not None:
        statement = statement.where(GapRow.id < before)
    return [
        GapLine(
            key=row.id,
            attempt=row.attempt_id,
            repo_name=RepoName(name),
            run=RunId(run),
            gap=Gap(GapKind(row.kind), row.subject, row.detail),
            noted_at=row.noted_at,
        )
        for row, run, name in session.execute(statement)
    ]


def gaps_since(session: Session, since: datetime) -> int:
    """Served by ix_gaps_noted_at."""
    return session.scalars(select(func.count()).select_from(GapRow).where(GapRow.noted_at >= since)).one()


def dead_letters(session: Session, *, limit: int) -> list[DeadLetter]:
    """Newest first; served by ix_tasks_state."""
    return [
        DeadLetter(row.key, row.stage, row.total_tries, row.error_family, row.error, row.updated_at)
        for row in session.scalars(_newest_in(TaskState.DEAD, limit))
    ]


def waiting_tasks(session: Session, *, limit: int) -> list[WaitingTask]:
    """What failed last first; served by ix_tasks_state."""
    return [
        WaitingTask(row.key, row.stage, row.tries, row.error_family, row.error, row.next_at)
        for row in session.scalars(_newest_in(TaskState.WAITING, limit))
    ]


def _newest_in(state: TaskState, limit: int) -> Select[TaskRow]:
    newest_first = TaskRow.updated_at.desc(), by_code_points(TaskRow.key)
    return select(TaskRow).where(TaskRow.state == state.value).order_by(*newest_first).limit(limit)


def refused_access(session: Session) -> RefusedAccess | None:
    """None if no task waits for it; served by ix_tasks_state."""
    waits = (TaskRow.state == TaskState.WAITING.value, TaskRow.error_family == CREDENTIALS)
    count, since = session.execute(select(func.count(), func.min(TaskRow.created_at)).where(*waits)).one()
    newest = select(TaskRow.error).where(*waits).order_by(TaskRow.updated_at.desc()).limit(1)
    return RefusedAccess(count, since, session.scalar(newest) or "") if count else None


def dead_count(session: Session) -> int:
    """Served by ix_tasks_state."""
    statement = select(func.count()).select_from(TaskRow).where(TaskRow.state == TaskState.DEAD.value)
    return session.scalars(statement).one()


def delivery_lines(session: Session, states: Collection[DeliveryState], *, limit: int) -> list[DeliveryLine]:
    """Newest received first, from the inbox. Served by ix_deliveries_received_at."""
    statement = (
        select(
            DeliveryRow.guid,
            DeliveryRow.event,
            DeliveryRow.action,
            DeliveryRow.repo,
            DeliveryRow.state,
            DeliveryRow.note,
            DeliveryRow.deliveries_seen,
            DeliveryRow.received_at,
        )
        .where(DeliveryRow.state.in_([state.value for state in states]))
        .order_by(DeliveryRow.received_at.desc(), by_code_points(DeliveryRow.guid))
        .limit(limit)
    )
    return [
        DeliveryLine(DeliveryId(guid), event, action, repo, DeliveryState(kept), note, seen, received_at)
        for guid, event, action, repo, kept, note, seen, received_at in session.execute(statement)
    ]


def oldest_waiting(session: Session) -> tuple[int, datetime | None]:
    """How many deliveries the worker has not taken yet, and since when. Served by ix_deliveries_waiting."""
    statement = select(func.count(), func.min(DeliveryRow.received_at)).where(
        DeliveryRow.state == DeliveryState.WAITING.value
    )
    count, oldest = session.execute(statement).one()
    return count, oldest
