"""Outcomes of all tests: one packed vector a job, and daily counters a test and variant."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date

from sqlalchemy import Date, ForeignKey, Index, LargeBinary, PrimaryKeyConstraint, delete, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.outcome import OutcomeKind
from app.domain.run_vector import CODEC, Cell, RunVector, pack, unpack
from app.store.base import Base
from app.store.upsert import insert_or_add, insert_or_update


class RunVectorRow(Base):
    __tablename__ = "run_vectors"

    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"), primary_key=True, autoincrement=False)
    day: Mapped[date] = mapped_column(Date, index=True)
    codec: Mapped[int]
    count: Mapped[int]
    red_count: Mapped[int]
    packed: Mapped[bytes] = mapped_column(LargeBinary)


class DailyCountRow(Base):
    """Keyed day first: the dashboard reads ranges of days, and old days are deleted whole."""

    __tablename__ = "daily_counts"
    __table_args__ = (
        PrimaryKeyConstraint("day", "test_id", "variant_id"),
        Index("ix_daily_counts_test", "test_id", "day"),
        {"sqlite_with_rowid": False},
    )

    day: Mapped[date] = mapped_column(Date)
    test_id: Mapped[int]
    variant_id: Mapped[int]
    ran: Mapped[int]
    """Passed, failed or errored; skipped is not run."""
    red: Mapped[int]
    skipped: Mapped[int]
    duration_ms: Mapped[int]


Counts = tuple[int, int, int, int]
"""Ran, red, skipped, and their milliseconds together."""

_COUNTED = {
    kind: (int(kind is not OutcomeKind.SKIPPED), int(kind.is_red), int(kind is OutcomeKind.SKIPPED))
    for kind in OutcomeKind
}


@dataclass(frozen=True, slots=True)
class JobCells:
    job: int
    variant: int
    cells: tuple[Cell, ...]


def store_vector(session: Session, job_cells: JobCells, *, day: date) -> None:
    """Keep a job's vector; repeated, it replaces itself."""
    cells = job_cells.cells
    row = {
        "job_id": job_cells.job,
        "day": day,
        "codec": CODEC,
        "count": len(cells),
        "red_count": sum(1 for cell in cells if cell.outcome.is_red),
        "packed": pack(cells),
    }
    facts = ["day", "codec", "count", "red_count", "packed"]
    insert_or_update(session, RunVectorRow, [row], unique=["job_id"], replace=facts)


def add_to_days(session: Session, jobs: Iterable[JobCells], *, day: date) -> None:
    """Add results to the counters. Not safe to repeat: the caller holds `claim_counting` of the jobs.

    Rows are summed in memory and written in the order of their key, so that two writers cannot deadlock.
    """
    _add(session, jobs, day, sign=1)


def take_from_days(session: Session, job: JobCells, *, day: date) -> None:
    """Take results off the counters again; what counts nothing any more is no row."""
    _add(session, [job], day, sign=-1)
    same = (DailyCountRow.day == day, DailyCountRow.variant_id == job.variant)
    session.execute(delete(DailyCountRow).where(*same, DailyCountRow.ran == 0, DailyCountRow.skipped == 0))


def _add(session: Session, jobs: Iterable[JobCells], day: date, *, sign: int) -> None:
    sums: dict[tuple[int, int], Counts] = {}
    counted = {
        kind: (sign * ran, sign * red, sign * skipped) for kind, (ran, red, skipped) in _COUNTED.items()
    }
    for job in jobs:
        variant = job.variant
        for test, outcome, duration_ms in job.cells:
            key, ms = (test, variant), sign * (duration_ms or 0)
            if key not in sums:
                sums[key] = (*counted[outcome], ms)
                continue
            ran, red, skipped, sum_ms = sums[key]
            one_ran, one_red, one_skipped = counted[outcome]
            sums[key] = (ran + one_ran, red + one_red, skipped + one_skipped, sum_ms + ms)
    # SQLite's driver has no dates of its own; its tables hold them as text.
    stored_day = day.isoformat() if session.get_bind().dialect.name == "sqlite" else day
    rows = [(stored_day, *key, *sums[key]) for key in sorted(sums)]
    names = ("ran", "red", "skipped", "duration_ms")
    unique = ("day", "test_id", "variant_id")
    insert_or_add(session, DailyCountRow, [*unique, *names], rows, unique=unique, add=names)


def vectors(session: Session, jobs: Collection[int]) -> dict[int, RunVector]:
    """Vectors by job key; a job without results has none."""
    statement = select(RunVectorRow.job_id, RunVectorRow.packed).where(RunVectorRow.job_id.in_(list(jobs)))
    return {job: unpack(packed) for job, packed in session.execute(statement)}


def tallies(session: Session, jobs: Collection[int]) -> dict[int, tuple[int, int]]:
    """How many tests each job reported, and how many of them were red."""
    statement = select(RunVectorRow.job_id, RunVectorRow.count, RunVectorRow.red_count).where(
        RunVectorRow.job_id.in_(list(jobs))
    )
    return {job: (count, red) for job, count, red in session.execute(statement)}
