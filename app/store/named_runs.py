"""Which runs an attempt's evidence names: the way back, by which a run is found to be needed."""

from collections.abc import Collection, Iterable

from sqlalchemy import ForeignKey, PrimaryKeyConstraint, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.store.base import Base
from app.store.failures import FailureRow
from app.store.upsert import chunks, insert_missing

FAILURES_PER_STATEMENT = 500


class NamedRunRow(Base):
    """A run by GitHub's id, which may be unknown here; its attempts stay as long as `attempt_id` does."""

    __tablename__ = "named_runs"
    __table_args__ = (PrimaryKeyConstraint("repo_id", "run", "attempt_id"),)

    repo_id: Mapped[int] = mapped_column(ForeignKey("repos.id"))
    run: Mapped[int]
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id", ondelete="CASCADE"), index=True)


def name(session: Session, named: Iterable[tuple[int, Collection[int]]]) -> None:
    """Note, by failure, runs that evidence on it names. Safe to repeat."""
    runs: dict[int, set[int]] = {}
    for failure, of in named:
        runs.setdefault(failure, set()).update(of)
    places: dict[int, tuple[int, int]] = {}
    for some in chunks(sorted(runs), FAILURES_PER_STATEMENT):
        statement = select(FailureRow.id, FailureRow.repo_id, FailureRow.attempt_id)
        for failure, repo, attempt in session.execute(statement.where(FailureRow.id.in_(some))):
            places[failure] = repo, attempt
    rows = sorted({(*places[failure], run) for failure, of in runs.items() for run in of})
    insert_missing(
        session,
        NamedRunRow,
        [{"repo_id": repo, "run": run, "attempt_id": attempt} for repo, attempt, run in rows],
        unique=["repo_id", "run", "attempt_id"],
    )
