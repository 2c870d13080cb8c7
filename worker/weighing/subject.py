"""What a failure is about: a test, or the job itself where it failed without naming one."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from app.domain.evidence import Observation
from app.domain.outcome import OutcomeKind
from app.domain.run import Conclusion
from app.store import failures
from app.store.failures import StoredFailure
from app.store.observations import Observations, observe
from app.store.runs import JobExecution


class Subjects:
    """Reads within one session, through the observations that it is given."""

    def __init__(self, session: Session, observations: Observations) -> None:
        self._session, self._observations = session, observations
        self._jobs: dict[int, OutcomeKind | None] = {}

    def seen_in(self, failure: StoredFailure, executions: Sequence[JobExecution]) -> tuple[Observation, ...]:
        """What the failure's test did in each of these; what did not run it gives none.

        A job passed if it succeeded, and failed if it did so without naming a test. Any other end, such as a
        cancelled one or one with failed tests, says nothing of what this failure is about.
        """
        if failure.test is not None:
            return self._observations.of_test(failure.test, executions)
        self._look_at(executions)
        ended = ((one, self._jobs[one.job.id]) for one in executions)
        return tuple(observe(one, outcome) for one, outcome in ended if outcome is not None)

    def failed_alike(self, failure: StoredFailure, executions: Sequence[JobExecution]) -> set[int]:
        """Our keys of the jobs among these that hold a failure of the same group."""
        if failure.group is None:
            return set()
        return failures.alike_in(self._session, failure.group, [one.job.id for one in executions])

    def _look_at(self, executions: Sequence[JobExecution]) -> None:
        new = [one for one in executions if one.job.id not in self._jobs]
        if not new:
            return
        untold = failures.without_test_in(self._session, [one.job.id for one in new])
        for one in new:
            succeeded = one.job.conclusion is Conclusion.SUCCESS
            failed = OutcomeKind.FAILED if one.job.id in untold else None
            self._jobs[one.job.id] = OutcomeKind.PASSED if succeeded else failed
