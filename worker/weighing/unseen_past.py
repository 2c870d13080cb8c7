"""What happened before a failure and can be looked at no more, or never was: its silence proves nothing."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from app.domain.evidence import Unseen
from app.domain.gap import Gap, GapKind
from app.domain.policy import VerdictPolicy
from app.domain.wording import counted
from app.store import out_of_sight
from app.store.failures import StoredFailure
from app.store.run_values import JobExecution

PAST_THEIR_TIME = "their results were past their time and removed"


class UnseenPast:
    """Of one repository, within one session."""

    def __init__(self, session: Session, repo: int, policy: VerdictPolicy) -> None:
        self._policy = policy
        self.removed_until = out_of_sight.removed_until(session, repo)
        """What began before then may be gone without a trace."""
        self._left_unread = out_of_sight.left_unread(session, repo)

    def of_base(
        self, failure: StoredFailure, branch: str, ran: Sequence[JobExecution], *, since: datetime
    ) -> tuple[Unseen, ...]:
        """What the branch is known to have done since then, beside what can be read of `ran`."""
        found = [self._stripped(failure, branch, ran), self._gone(branch, since), self._unread(since)]
        return tuple(one for one in found if one is not None)

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
