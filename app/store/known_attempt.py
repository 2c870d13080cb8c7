"""What the store already has of an attempt that is brought in, perhaps for the second time."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.domain.ids import RunId
from app.store import artifacts, results, runs
from app.store.artifacts import SourceFile
from app.store.failures import FailureRow
from app.store.gaps import GapRow
from app.store.run_values import StoredAttempt, StoredJob
from app.store.runs import AttemptRow, RunRow


@dataclass(frozen=True, slots=True)
class KnownAttempt:
    attempt: StoredAttempt
    jobs: tuple[StoredJob, ...]
    files: frozenset[tuple[int | None, str, str]]
    """Job, origin and path of each file that is stored."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Of some jobs of one attempt; `gaps` are those of the jobs and of the attempt as a whole."""

    results: int
    failures: int
    gaps: int


def find(session: Session, repo: int, run: RunId, number: int) -> KnownAttempt | None:
    key = session.scalars(
        select(AttemptRow.id)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .where(RunRow.repo_id == repo, RunRow.github_id == run, AttemptRow.number == number)
    ).one_or_none()
    if key is None:
        return None
    return KnownAttempt(
        attempt=runs.attempt(session, key),
        jobs=tuple(runs.jobs_of(session, key)),
        files=frozenset(_place(file) for file in artifacts.files_of(session, key)),
    )


def is_only_one(session: Session, attempt: StoredAttempt) -> bool:
    """Whether its run has no other attempt."""
    others = select(AttemptRow.id).where(AttemptRow.run_id == attempt.run_key, AttemptRow.id != attempt.id)
    return session.scalars(others.limit(1)).one_or_none() is None


def reopen(session: Session, attempt: int) -> None:
    """Note that an attempt has more to be read and judged; judging it closes it again."""
    again = update(AttemptRow).where(AttemptRow.id == attempt)
    session.execute(again.values(judged_at=None, raw_removed_at=None))


def count(session: Session, attempt: int, jobs: Collection[int]) -> Counts:
    red = select(func.count()).select_from(FailureRow).where(FailureRow.job_id.in_(list(jobs)))
    gaps = (
        select(func.count())
        .select_from(GapRow)
        .where(GapRow.attempt_id == attempt, GapRow.job_id.in_([0, *jobs]))
    )
    return Counts(
        results=sum(count for count, _ in results.tallies(session, jobs).values()),
        failures=session.scalars(red).one(),
        gaps=session.scalars(gaps).one(),
    )


def _place(file: SourceFile) -> tuple[int | None, str, str]:
    return (file.job, file.origin, file.path)
