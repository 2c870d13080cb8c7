"""The workers that are there: each holds a lease in a row of its own and renews it while it lives."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, type_coerce
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.store.base import Base, ShortText, UtcDateTime


class WorkerRow(Base):
    __tablename__ = "workers"

    executor_id: Mapped[str] = mapped_column(ShortText(200), primary_key=True)
    host: Mapped[str] = mapped_column(ShortText(100))
    pid: Mapped[int]
    version: Mapped[str] = mapped_column(ShortText(60))
    started_at: Mapped[datetime]
    beat_at: Mapped[datetime]
    """When the lease was last renewed, by the database's clock: those of hosts differ."""


@dataclass(frozen=True, slots=True)
class Worker:
    """One process. `executor` names it: on PostgreSQL for ever, on SQLite the next one has the same name."""

    executor: str
    host: str
    pid: int
    version: str


@dataclass(frozen=True, slots=True)
class Lease:
    """`age_s` is the time since it was last renewed, in seconds, by the database's clock."""

    worker: Worker
    started_at: datetime
    beat_at: datetime
    age_s: float


def register(session: Session, worker: Worker) -> None:
    """Begin the worker's lease. Raises IntegrityError if there is one of that name."""
    now = _database_now(session)
    session.add(
        WorkerRow(
            executor_id=worker.executor,
            host=worker.host,
            pid=worker.pid,
            version=worker.version,
            started_at=now,
            beat_at=now,
        )
    )
    session.flush()


def renew(session: Session, executor: str) -> bool:
    """False if the lease is gone: it had run out, and others have taken over what the worker had."""
    row = session.get(WorkerRow, executor, with_for_update=True)
    if row is None:
        return False
    row.beat_at = _database_now(session)
    return True


def leave(session: Session, executor: str) -> None:
    session.execute(delete(WorkerRow).where(WorkerRow.executor_id == executor))


def expire(session: Session, *, after_s: float) -> list[Lease]:
    """End and return the leases that nobody has renewed for so long; their workers can renew them no more."""
    now = _database_now(session)
    late = select(WorkerRow).where(WorkerRow.beat_at < now - timedelta(seconds=after_s)).with_for_update()
    rows = list(session.scalars(late))
    for row in rows:
        session.delete(row)
    return [_lease(row, now) for row in rows]


def leases(session: Session) -> list[Lease]:
    """All that there are, the newest worker last; also of workers that died and have not been missed yet."""
    now = _database_now(session)
    rows = session.scalars(select(WorkerRow).order_by(WorkerRow.started_at, WorkerRow.executor_id))
    return [_lease(row, now) for row in rows]


def _lease(row: WorkerRow, now: datetime) -> Lease:
    worker = Worker(row.executor_id, row.host, row.pid, row.version)
    age_s = max(0.0, (now - row.beat_at).total_seconds())
    return Lease(worker, row.started_at, row.beat_at, age_s)


def _database_now(session: Session) -> datetime:
    return session.scalars(select(type_coerce(func.now(), UtcDateTime()))).one()
