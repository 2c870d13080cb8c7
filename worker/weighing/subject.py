"""What a failure is about: a test, or the job itself where it failed without naming one."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from app.domain.evidence import Observation
from app.domain.outcome import OutcomeKind
from app.domain.run import Conclusion
from app.store import failures
from app.store.failures import StoredFailure
from app.store.observations import Observations, observe
from app.store.run_values import JobExecution
from worker.weighing.known_failures import KnownFailures


def ran_to_its_end(execution: JobExecution) -> bool:
    """False for a job that was cancelled, skipped or given up: what it tells is an accident of its end.

    True where nobody knows the end, as of a job that is known by its results alone.
    """
    conclusion = execution.job.conclusion
    return conclusion is None or conclusion.decides


class Subjects:
    """Reads within one session, through the observations that it is given."""

    def __init__(self, session: Session, observations: Observations, known: KnownFailures) -> None:
        self._session, self._observations, self._failures = session, observations, known
        self._jobs: dict[int, OutcomeKind | None] = {}

    def seen_in(self, failure: StoredFailure, executions: Sequence[JobExecution]) -> tuple[Observation, ...]:
        """What the failure's test did in each of these; what did not run it gives none.

        A job passed if it succeeded, and failed if it did so without naming a test; one with failed tests
        says nothing of what this failure is about. What was cut off proves neither.
        """
        ran = [one for one in executions if ran_to_its_end(one)]
        if failure.test is not None:
            return self._observations.of_test(failure.test, ran)
        self._look_at(ran)
        ended = ((one, self._jobs[one.job.id]) for one in ran)
        return tuple(observe(one, outcome) for one, outcome in ended if outcome is not None)

    def failed_alike(self, failure: StoredFailure, executions: Sequence[JobExecution]) -> set[int]:
        """Our keys of the jobs among these that hold a failure of the same group."""
        if failure.group is None:
            return set()
        return self._failures.alike_in(failure.group, [one.job.id for one in executions])

    def same_values(self, failure: StoredFailure, seen: Sequence[Observation]) -> bool | None:
        """Whether it compared the same values in any of these; None where no values were compared."""
        if failure.group is None:
            return None
        jobs = {(one.run, one.attempt, one.job_id) for one in seen}
        compared = failures.values_in(self._session, failure, jobs)
        if not compared or (failure.values is None and compared == {None}):
            return None
        return failure.values in compared

    def _look_at(self, executions: Sequence[JobExecution]) -> None:
        new = [one for one in executions if one.job.id not in self._jobs]
        if not new:
            return
        untold = failures.without_test_in(self._session, [one.job.id for one in new])
        for one in new:
            succeeded = one.job.conclusion is Conclusion.SUCCESS
            failed = OutcomeKind.FAILED if one.job.id in untold else None
            self._jobs[one.job.id] = OutcomeKind.PASSED if succeeded else failed
