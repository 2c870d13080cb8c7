"""The evidence known to be missing for the failures of one job, in its own run and in others on its code."""

from sqlalchemy.orm import Session

from app.domain.gap import Gap, GapKind
from app.store import gaps
from app.store.observations import Observations
from app.store.run_values import JobExecution, StoredAttempt
from worker.weighing.unseen_past import PAST_THEIR_TIME


class Missing:
    """Within one session; the same for every failure of one job."""

    def __init__(self, session: Session, observations: Observations) -> None:
        self._session, self._observations = session, observations
        self._by_job: dict[int, tuple[Gap, ...]] = {}

    def for_job(self, execution: JobExecution) -> tuple[Gap, ...]:
        """Gaps of this job and its attempt, and those of other attempts that ran it on the same code.

        Those bear the run that they are from. Gaps of other variants, and of other workflows, hide no result
        that could be held against this one.
        """
        if execution.job.id not in self._by_job:
            self._by_job[execution.job.id] = self._found(execution)
        return self._by_job[execution.job.id]

    def _found(self, execution: JobExecution) -> tuple[Gap, ...]:
        own = execution.attempt
        alike = self._observations.same_code(own.repo, execution)
        attempts = {one.attempt.id: one.attempt for one in alike} | {own.id: own}
        jobs = {0, execution.job.id, *(one.job.id for one in alike)}
        noted = gaps.of_attempts(self._session, attempts)
        removed = {
            Gap(GapKind.RESULTS_REMOVED, f"{_which(one)}run {one.run}", PAST_THEIR_TIME)
            for one in attempts.values()
            if one.is_stripped
        }
        return tuple(
            sorted(
                removed
                | {
                    gap if key == own.id else _from(attempts[key], gap)
                    for key, found in noted.items()
                    for job, gap in found
                    if job in jobs
                }
            )
        )


def _from(attempt: StoredAttempt, gap: Gap) -> Gap:
    return Gap(gap.kind, f"{gap.subject} in {_which(attempt)}run {attempt.run}", gap.detail)


def _which(attempt: StoredAttempt) -> str:
    return f"attempt {attempt.attempt} of " if attempt.attempt > 1 else ""
