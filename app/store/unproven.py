"""What failed and has not been seen to pass since: as long as there is any, nothing is green again."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from app.domain.outcome import OutcomeKind
from app.domain.run import Conclusion
from app.store import results
from app.store.failures import FailureRow
from app.store.runs import AttemptRow, JobRow

VECTORS_AT_ONCE = 20

_TELLS = [None, *(conclusion.value for conclusion in Conclusion if conclusion.decides)]


@dataclass(frozen=True, slots=True)
class Red:
    """The newest failure of a test, or (test 0) of a job without one, in one variant; keys are ours."""

    failure: int
    attempt: int
    test: int
    variant: int
    job: str
    at: datetime

    @property
    def subject(self) -> tuple[int, int, str]:
        """A test may move between the shards of a job; a job that failed as a whole is that job."""
        return self.test, self.variant, self.job if self.test == 0 else ""


def unproven(session: Session, attempts: Collection[int]) -> list[Red]:
    """Of all that failed in red jobs of these attempts, what none of them that began later saw pass.

    A test passes by its own result; a job without failed tests by its success. Skipped, cancelled and absent
    prove nothing. Oldest failure first.
    """
    open_reds = {red.subject: red for red in _reds(session, attempts)}
    if not open_reds:
        return []
    passes = _later_jobs(session, attempts, {red.variant for red in open_reds.values()})
    for start in range(0, len(passes), VECTORS_AT_ONCE):
        ran = passes[start : start + VECTORS_AT_ONCE]
        vectors = results.vectors(session, [job.id for job in ran])
        for job in ran:
            vector = vectors.get(job.id)
            for red in [one for one in open_reds.values() if _is_later(job, one)]:
                if red.test == 0:
                    passed = job.name == red.job and job.conclusion == Conclusion.SUCCESS.value
                else:
                    passed = vector is not None and vector.outcome_of(red.test) is OutcomeKind.PASSED
                if passed:
                    del open_reds[red.subject]
        if not open_reds:
            break
    return sorted(open_reds.values(), key=lambda red: (red.at, red.failure))


@dataclass(frozen=True, slots=True)
class _Ran:
    id: int
    variant: int
    name: str
    conclusion: str | None
    at: datetime


def _is_later(job: _Ran, red: Red) -> bool:
    return job.variant == red.variant and job.at > red.at


def _reds(session: Session, attempts: Collection[int]) -> Iterable[Red]:
    """Oldest first, so that in a mapping the newest stays; a job that passed allowed its failures."""
    statement = (
        select(
            FailureRow.id,
            FailureRow.attempt_id,
            FailureRow.test_key,
            JobRow.variant_id,
            JobRow.name,
            AttemptRow.started_at,
        )
        .join(JobRow, JobRow.id == FailureRow.job_id)
        .join(AttemptRow, AttemptRow.id == FailureRow.attempt_id)
        .where(FailureRow.attempt_id.in_(list(attempts)))
        .where(or_(JobRow.conclusion.is_(None), JobRow.conclusion != Conclusion.SUCCESS.value))
        .order_by(AttemptRow.started_at, FailureRow.id)
    )
    return [Red(*row) for row in session.execute(statement)]


def _later_jobs(session: Session, attempts: Collection[int], variants: Collection[int]) -> Sequence[_Ran]:
    """Jobs of these variants that ran to their end, newest first."""
    statement = (
        select(JobRow.id, JobRow.variant_id, JobRow.name, JobRow.conclusion, AttemptRow.started_at)
        .join(AttemptRow, AttemptRow.id == JobRow.attempt_id)
        .where(JobRow.attempt_id.in_(list(attempts)))
        .order_by(AttemptRow.started_at.desc(), JobRow.id.desc())
    )
    found = [_Ran(*row) for row in session.execute(statement)]
    return [one for one in found if one.variant in variants and one.conclusion in _TELLS]
