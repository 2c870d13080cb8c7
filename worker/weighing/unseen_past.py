"""What happened before a failure and can be looked at no more, or never was: its silence proves nothing."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from app.domain.evidence import Observation, Unseen
from app.domain.gap import HIDES_RESULTS, Gap, GapKind
from app.domain.policy import VerdictPolicy
from app.domain.wording import counted
from app.store import gaps, out_of_sight
from app.store.failures import StoredFailure
from app.store.run_values import JobExecution
from worker.weighing.subject import ran_to_its_end

PAST_THEIR_TIME = "their results were past their time and removed"
NOT_WHOLE = "their results are missing, or were not read whole, and do not list it"


class UnseenPast:
    """Of one repository, within one session."""

    def __init__(self, session: Session, repo: int, policy: VerdictPolicy) -> None:
        self._session, self._policy = session, policy
        self._lacking: dict[int, set[int]] = {}
        """By attempt, our keys of the jobs that lack results, 0 where the whole attempt does."""
        self.removed_until = out_of_sight.removed_until(session, repo)
        """What began before then may be gone without a trace."""
        self._left_unread = out_of_sight.left_unread(session, repo)

    def of_base(
        self,
        failure: StoredFailure,
        branch: str,
        ran: Sequence[JobExecution],
        seen: Sequence[Observation],
        *,
        since: datetime,
    ) -> tuple[Unseen, ...]:
        """What the branch is known to have done since then, beside what was `seen` of the test in `ran`."""
        found = [
            self._stripped(failure, branch, ran),
            self._hidden(failure, branch, ran, seen),
            self._gone(branch, since),
            self._unread(since),
        ]
        return tuple(one for one in found if one is not None)

    def hidden_jobs(
        self, failure: StoredFailure, ran: Sequence[JobExecution], seen: Sequence[Observation]
    ) -> set[int]:
        """Our keys of the jobs that ran to their end, lack the failure's test, and lack results: it may be
        among those. Where nothing is known to be missing, a test that is not listed did not run.
        """
        if failure.test is None:
            return set()
        told = {(one.run, one.attempt, one.job_id) for one in seen}
        silent = [
            one
            for one in ran
            if ran_to_its_end(one) and (one.attempt.run, one.attempt.attempt, one.job.github_id) not in told
        ]
        self._learn({one.attempt.id for one in silent})
        return {one.job.id for one in silent if self._lacking[one.attempt.id] & {0, one.job.id}}

    def _learn(self, attempts: set[int]) -> None:
        new = attempts - self._lacking.keys()
        if new:
            noted = gaps.of_attempts(self._session, new)
            self._lacking |= {
                attempt: {job for job, gap in found if gap.kind in HIDES_RESULTS}
                for attempt, found in noted.items()
            }

    def _hidden(
        self,
        failure: StoredFailure,
        branch: str,
        ran: Sequence[JobExecution],
        seen: Sequence[Observation],
    ) -> Unseen | None:
        jobs = self.hidden_jobs(failure, [one for one in ran if not is_unknown(failure, one)], seen)
        if not jobs:
            return None
        attempts = [one.attempt for one in ran if one.job.id in jobs]
        runs, until = len({one.run for one in attempts}), max(one.started_at for one in attempts)
        subject = f"{counted(runs, 'run')} of {branch} until {_told(until)}"
        return Unseen(runs, until, Gap(GapKind.RESULTS_INCOMPLETE, subject, NOT_WHOLE))

    def _stripped(self, failure: StoredFailure, branch: str, ran: Sequence[JobExecution]) -> Unseen | None:
        stripped = [one.attempt for one in ran if is_unknown(failure, one)]
        if not stripped:
            return None
        runs, until = len({one.run for one in stripped}), max(one.started_at for one in stripped)
        subject = f"{counted(runs, 'run')} of {branch} until {_told(until)}"
        return Unseen(runs, until, Gap(GapKind.RESULTS_REMOVED, subject, PAST_THEIR_TIME))

    def _gone(self, branch: str, since: datetime) -> Unseen | None:
        """Nobody knows how many, so it may be as many as prove a base good."""
        until = self.removed_until
        if until is None or until <= since:
            return None
        gap = Gap(GapKind.RESULTS_REMOVED, f"runs of {branch} before {_told(until)}", PAST_THEIR_TIME)
        return Unseen(self._policy.clean_base_runs, until, gap)

    def _unread(self, since: datetime) -> Unseen | None:
        left = self._left_unread
        if left is None or left.before <= since:
            return None
        subject = f"{counted(left.runs, 'run')} before {_told(left.before)}"
        gap = Gap(GapKind.RUNS_UNREAD, subject, "left unread at the first look at this repository")
        return Unseen(left.runs, left.before, gap)


def is_unknown(failure: StoredFailure, execution: JobExecution) -> bool:
    """Whether what the failure's test did there was known once. How a job ended stays known."""
    return failure.test is not None and execution.attempt.is_stripped


def _told(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
