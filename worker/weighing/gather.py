"""Gather the evidence for one failure from the store; judging it is left to the domain."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from app.domain.commit_graph import ChangeSet
from app.domain.evidence import (
    BaseState,
    Change,
    ChangeKind,
    Evidence,
    Flip,
    JobTally,
    MainStreak,
    Observation,
    Recurrence,
    SignatureFacts,
)
from app.domain.ids import Sha
from app.domain.outcome import OutcomeKind
from app.domain.policy import VerdictPolicy
from app.domain.run import TESTS_THE_PUSHED_COMMIT, PullRequest
from app.store import failure_places, repos, verdicts
from app.store.failures import StoredFailure
from app.store.observations import Observations, observe
from app.store.run_values import JobExecution
from worker.weighing.history import History
from worker.weighing.known_failures import KnownFailures
from worker.weighing.main_streak import StreakFinder
from worker.weighing.missing import Missing
from worker.weighing.rank_lines import rank_lines
from worker.weighing.replayed import Replayed
from worker.weighing.subject import Subjects, ran_to_its_end
from worker.weighing.unseen_past import UnseenPast

RECURRENCES = 30
"""Newest failures of the group that are looked at elsewhere."""
COMMITS_ELSEWHERE = 10
"""Other commits whose relation to the change is found out; each may cost a request."""
BASE_RUNS = 40
"""Executions of the base branch that are looked at: twice what proves it clean."""
CANDIDATES = 30


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A failure of the same group at another commit."""

    failure: StoredFailure
    execution: JobExecution
    seen: Observation


class Gatherer:
    """Within one session. Questions it cannot answer from the store end up in `history.unanswered`."""

    def __init__(self, session: Session, history: History, policy: VerdictPolicy) -> None:
        self._session, self._policy = session, policy
        self.history = history
        self.pulls_asked: set[int] = set()
        """Pull requests whose merging matters to a verdict, so that it should be known freshly."""
        self._observations = Observations(session)
        self._failures = KnownFailures(session)
        self._subjects = Subjects(session, self._observations, self._failures)
        self._unseen = UnseenPast(session, history.index.repo, policy)
        self._streaks = StreakFinder(self._observations, self._subjects, self._unseen, history.index)
        self._missing = Missing(session, self._observations)
        self._replays = Replayed(session)
        self._changes: dict[int, tuple[Change, ChangeSet]] = {}
        self._rank_lines: dict[int, tuple[str, ...]] = {}
        self._pulls: dict[int, PullRequest | None] = {}
        self._main = repos.default_branch(session, history.index.repo)

    def evidence(self, failure: StoredFailure) -> Evidence:
        execution = self._observations.execution(failure.job)
        seen = observe(execution, failure.outcome)
        main = self._main
        change, own = self._change(execution, main)
        elsewhere = self._elsewhere(failure, execution)
        recurrences = self._recurrences(failure, execution, elsewhere, change, own)
        same = self._observations.same_code(failure.repo, execution)
        began = self._observations.began(failure.repo, execution)
        return Evidence(
            test=self._failures.label(failure.test),
            failure=seen,
            signature=SignatureFacts(
                failure.key, failure.title, failure.category, failure.generic, failure.opaque
            ),
            change=change,
            same_code=self._subjects.seen_in(failure, same),
            siblings=self._siblings(failure, execution),
            recurrences=recurrences,
            flips_elsewhere=self._flips(elsewhere),
            base=self._base(failure, execution, self._base_branch(failure.repo, change, own, main), began),
            tally=JobTally(*self._observations.tallies(execution.attempt.id, execution.job.variant)),
            main_streak=self._main_streak(failure, execution, main, change, own),
            failed_before=sum(1 for seen_at in recurrences if seen_at.observation.at < began),
            test_flipped_before=self._flipped_in_another_mode(failure, began),
            related=self._related(failure),
            replays=self._replays.on(failure, self._failures.label(failure.test)),
            gaps=self._missing.for_job(execution),
        )

    def _related(self, failure: StoredFailure) -> tuple[str, ...]:
        """The same for every failure of one job."""
        if failure.job not in self._rank_lines:
            self._rank_lines[failure.job] = rank_lines(self._session, failure)
        return self._rank_lines[failure.job]

    def _change(self, execution: JobExecution, main: str) -> tuple[Change, ChangeSet]:
        """The same for every failure of one job."""
        if execution.job.id not in self._changes:
            self._changes[execution.job.id] = self._change_of(execution, main)
        return self._changes[execution.job.id]

    def _change_of(self, execution: JobExecution, main: str) -> tuple[Change, ChangeSet]:
        attempt = execution.attempt
        if attempt.pull is not None:
            base = execution.job.tested.merge_base_parent
            own = self.history.change_of_pull(attempt.head_sha, attempt.pull, base)
            return Change(ChangeKind.PULL, attempt.pull), own
        if attempt.head_branch == main and attempt.event in TESTS_THE_PUSHED_COMMIT:
            own = self.history.since(self._observations.last_green(attempt, main), attempt.head_sha)
            newest_first = self.history.newest_first(own)
            return Change(ChangeKind.MAIN, None, newest_first[:CANDIDATES]), own
        own = ChangeSet(attempt.head_sha, None, frozenset({attempt.head_sha}), complete=False)
        return Change(ChangeKind.BRANCH), own

    def _siblings(self, failure: StoredFailure, execution: JobExecution) -> tuple[Observation, ...]:
        """Of a test alone: another job is not this one under another name."""
        if failure.test is None:
            return ()
        return self._subjects.seen_in(failure, self._observations.siblings(execution))

    def _elsewhere(self, failure: StoredFailure, execution: JobExecution) -> list[Elsewhere]:
        """The group's newest failures at other commits than this head.

        A failure without a test belongs to its workflow's job, and no other workflow's of that name.
        """
        if failure.group is None:
            return []
        since = failure.failed_at - timedelta(days=self._policy.window_days)
        own, workflow = execution.attempt.head_sha, execution.attempt.workflow_id
        found: list[Elsewhere] = []
        commits: set[Sha] = set()
        for other in self._failures.of_group(failure.group, since=since, limit=RECURRENCES, not_at=own):
            there = self._observations.execution(other.job)
            head = there.attempt.head_sha
            if head not in commits and len(commits) >= COMMITS_ELSEWHERE:
                continue
            if not ran_to_its_end(there):
                continue
            if failure.test is None and there.attempt.workflow_id != workflow:
                continue
            commits.add(head)
            found.append(Elsewhere(other, there, observe(there, other.outcome)))
        return found

    def _recurrences(
        self,
        failure: StoredFailure,
        execution: JobExecution,
        elsewhere: Sequence[Elsewhere],
        change: Change,
        own: ChangeSet,
    ) -> tuple[Recurrence, ...]:
        if not elsewhere:
            return ()
        pull = self._pull(failure.repo, change)
        if pull is not None and pull.merged_at is None:
            self.pulls_asked.add(pull.number)
        found = []
        for other in elsewhere:
            related = self.history.relate(own, other.seen, pull)
            found.append(
                Recurrence(
                    observation=other.seen,
                    relation=related.relation,
                    how=related.how,
                    same_test=other.failure.test == failure.test,
                    same_variant=other.execution.job.variant_id == execution.job.variant_id,
                    same_values=_same_values(failure, other.failure),
                    from_fork=other.execution.attempt.from_fork,
                )
            )
        return tuple(found)

    def _pull(self, repo: int, change: Change) -> PullRequest | None:
        if change.pull is None:
            return None
        if change.pull not in self._pulls:
            self._pulls[change.pull] = repos.pull(self._session, repo, change.pull)
        return self._pulls[change.pull]

    def _flips(self, elsewhere: Sequence[Elsewhere]) -> tuple[Flip, ...]:
        """Passes of the same test, or job, and variant beside the same failure at other commits."""
        flips: list[Flip] = []
        for other in elsewhere:
            if other.execution.attempt.from_fork:
                continue  # anybody can make up a pass and a fail there
            variant = other.execution.job.variant_id
            at_head = self._observations.at_head(other.failure.repo, variant, other.seen.sha)
            passes = self._subjects.seen_in(other.failure, at_head)
            flips += [Flip(other.seen, one) for one in passes if one.outcome is OutcomeKind.PASSED]
        return tuple(flips)

    def _base_branch(self, repo: int, change: Change, own: ChangeSet, main: str) -> str:
        """A pull request is measured by the branch that it goes to, or that its base is known to be of."""
        of_base = self.history.index.branches.get(own.base) if own.base is not None else None
        pull = self._pull(repo, change)
        return of_base or (main if pull is None else pull.base_branch)

    def _base(
        self, failure: StoredFailure, execution: JobExecution, branch: str, began: datetime
    ) -> BaseState:
        """The base before this head was first run, so that all attempts at it are judged by one past."""
        ran = self._observations.on_branch(
            failure.repo, execution.job.variant_id, branch, until=began, limit=BASE_RUNS
        )
        since = began - timedelta(days=self._policy.window_days)
        if len(ran) == BASE_RUNS:
            since = max(since, ran[-1].attempt.started_at)
        earlier = [one for one in ran if since <= one.attempt.started_at < began]
        seen = self._subjects.seen_in(failure, earlier)
        told = tuple(one for one in seen if one.outcome is not OutcomeKind.SKIPPED)
        known = tuple(one for one in told if one.sha != execution.attempt.head_sha)
        return BaseState(branch, known, self._unseen.of_base(failure, branch, earlier, seen, since=since))

    def _main_streak(
        self, failure: StoredFailure, execution: JobExecution, main: str, change: Change, own: ChangeSet
    ) -> MainStreak | None:
        if change.kind is ChangeKind.MAIN:
            return self._streaks.on_main(failure, execution, main)
        if change.kind is ChangeKind.PULL:
            return self._streaks.under_pull(failure, execution, main, own)
        return None

    def _flipped_in_another_mode(self, failure: StoredFailure, began: datetime) -> bool:
        if failure.test is None:
            return False
        since = failure.failed_at - timedelta(days=self._policy.window_days)
        modes = failure_places.modes_of(self._session, failure.test, since=since, limit=RECURRENCES)
        others = [one for one in modes if one.group != failure.group and one.failed_at < began]
        return verdicts.any_flaky(self._session, [one.failure for one in others])


def _same_values(one: StoredFailure, other: StoredFailure) -> bool | None:
    """None where neither text compares values."""
    if one.values is None and other.values is None:
        return None
    return one.values == other.values
