"""Gather the evidence for one failure from the store; judging it is left to the domain."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy.orm import Session

from app.domain.commit_graph import ChangeSet
from app.domain.evidence import (
    BaseState,
    Change,
    ChangeKind,
    Evidence,
    Flip,
    JobTally,
    Observation,
    Recurrence,
    SignatureFacts,
)
from app.domain.gap import Gap
from app.domain.ids import Sha
from app.domain.outcome import OutcomeKind
from app.domain.policy import VerdictPolicy
from app.domain.run import TESTS_THE_PUSHED_COMMIT
from app.store import failures, gaps, identities, repos, runs, verdicts
from app.store.failures import StoredFailure
from app.store.observations import Observations, observe
from app.store.runs import JobExecution
from worker.weighing.history import History
from worker.weighing.rank_lines import rank_lines

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
        self._changes: dict[int, tuple[Change, ChangeSet]] = {}
        self._missing: dict[int, tuple[Gap, ...]] = {}
        self._rank_lines: dict[int, tuple[str, ...]] = {}

    def evidence(self, failure: StoredFailure) -> Evidence:
        execution = self._observations.execution(failure.job)
        seen = observe(execution, failure.outcome)
        main = repos.default_branch(self._session, failure.repo)
        change, own = self._change(execution, main)
        elsewhere = self._elsewhere(failure, own)
        recurrences = self._recurrences(elsewhere, change, own)
        test = failure.test
        same_code: tuple[Observation, ...] = ()
        siblings: tuple[Observation, ...] = ()
        if test is not None:
            same = self._observations.same_code(failure.repo, execution)
            same_code = self._observations.of_test(test, same)
            siblings = self._observations.of_test(test, self._observations.siblings(execution))
        return Evidence(
            test=self._label(test),
            failure=seen,
            signature=SignatureFacts(
                failure.key, failure.title, failure.category, failure.generic, failure.opaque
            ),
            change=change,
            same_code=same_code,
            siblings=siblings,
            recurrences=recurrences,
            flips_elsewhere=self._flips(elsewhere),
            base=self._base(failure, execution, main),
            tally=JobTally(*self._observations.tallies(execution.attempt.id, execution.job.variant)),
            main_streak=self._main_streak(failure, execution) if change.kind is ChangeKind.MAIN else 0,
            failed_before=sum(1 for seen_at in recurrences if seen_at.observation.at < seen.at),
            test_flipped_before=self._flipped_in_another_mode(failure),
            related=self._related(failure),
            gaps=self._gaps(execution),
        )

    def _related(self, failure: StoredFailure) -> tuple[str, ...]:
        """The same for every failure of one job."""
        if failure.job not in self._rank_lines:
            self._rank_lines[failure.job] = rank_lines(self._session, failure)
        return self._rank_lines[failure.job]

    def _label(self, test: int | None) -> str:
        return "" if test is None else identities.by_key(self._session, {test})[test].label

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
            newest_first = (attempt.head_sha, *sorted(own.own - {attempt.head_sha}))
            return Change(ChangeKind.MAIN, None, newest_first[:CANDIDATES]), own
        own = ChangeSet(attempt.head_sha, None, frozenset({attempt.head_sha}), complete=False)
        return Change(ChangeKind.BRANCH), own

    def _elsewhere(self, failure: StoredFailure, own: ChangeSet) -> list[Elsewhere]:
        """The group's newest failures at other commits than this head."""
        if failure.group is None:
            return []
        since = failure.failed_at - timedelta(days=self._policy.window_days)
        found: list[Elsewhere] = []
        commits: set[Sha] = set()
        for other in failures.of_group(self._session, failure.group, since=since, limit=RECURRENCES):
            execution = self._observations.execution(other.job)
            head = execution.attempt.head_sha
            if head == own.head or (head not in commits and len(commits) >= COMMITS_ELSEWHERE):
                continue
            commits.add(head)
            found.append(Elsewhere(other, execution, observe(execution, other.outcome)))
        return found

    def _recurrences(
        self, elsewhere: Sequence[Elsewhere], change: Change, own: ChangeSet
    ) -> tuple[Recurrence, ...]:
        if not elsewhere:
            return ()
        repo = elsewhere[0].failure.repo
        pull = repos.pull(self._session, repo, change.pull) if change.pull is not None else None
        if pull is not None and pull.merged_at is None:
            self.pulls_asked.add(pull.number)
        related = [(other.seen, self.history.relate(own, other.seen, pull)) for other in elsewhere]
        return tuple(Recurrence(seen, one.relation, one.how) for seen, one in related)

    def _flips(self, elsewhere: Sequence[Elsewhere]) -> tuple[Flip, ...]:
        """Passes of the same test and variant beside the same failure at other commits."""
        flips: list[Flip] = []
        for other in elsewhere:
            if other.failure.test is None:
                continue
            variant = other.execution.job.variant_id
            at_head = self._observations.at_head(other.failure.repo, variant, other.seen.sha)
            passes = self._observations.of_test(other.failure.test, at_head)
            flips += [Flip(other.seen, one) for one in passes if one.outcome is OutcomeKind.PASSED]
        return tuple(flips)

    def _base(self, failure: StoredFailure, execution: JobExecution, main: str) -> BaseState | None:
        if failure.test is None:
            return None
        until = execution.attempt.started_at
        ran = self._observations.on_branch(
            failure.repo, execution.job.variant_id, main, until=until, limit=BASE_RUNS
        )
        earlier = [one for one in ran if one.attempt.started_at < until]
        seen = self._observations.of_test(failure.test, earlier)
        told = tuple(one for one in seen if one.outcome is not OutcomeKind.SKIPPED)
        return BaseState(main, tuple(one for one in told if one.sha != execution.attempt.head_sha))

    def _main_streak(self, failure: StoredFailure, execution: JobExecution) -> int:
        """Commits in a row, this one first, whose every result of this test failed with this group."""
        if failure.test is None or failure.group is None:
            return 0
        variant, branch = execution.job.variant_id, execution.attempt.head_branch or ""
        until = execution.attempt.started_at
        ran = self._observations.on_branch(failure.repo, variant, branch, until=until, limit=BASE_RUNS)
        grouped = failures.of_tests_in_attempts(
            self._session, {failure.test}, {one.attempt.id for one in ran}
        )
        same_group = {one.job for one in grouped if one.group == failure.group}
        by_sha: dict[Sha, bool] = {}
        for one in ran:
            for seen in self._observations.of_test(failure.test, [one]):
                if seen.outcome is not OutcomeKind.SKIPPED:
                    failed_alike = one.job.id in same_group
                    by_sha[seen.sha] = by_sha.get(seen.sha, True) and failed_alike
        streak = 0
        for failed_alike in by_sha.values():
            if not failed_alike:
                break
            streak += 1
        return streak

    def _flipped_in_another_mode(self, failure: StoredFailure) -> bool:
        if failure.test is None:
            return False
        since = failure.failed_at - timedelta(days=self._policy.window_days)
        modes = failures.of_test(self._session, failure.test, since=since, limit=RECURRENCES)
        others = [one for one in modes if one.group != failure.group and one.failed_at < failure.failed_at]
        return verdicts.any_flaky(self._session, [one.id for one in others])

    def _gaps(self, execution: JobExecution) -> tuple[Gap, ...]:
        """The same for every failure of one job."""
        if execution.job.id not in self._missing:
            self._missing[execution.job.id] = self._gaps_of(execution)
        return self._missing[execution.job.id]

    def _gaps_of(self, execution: JobExecution) -> tuple[Gap, ...]:
        """What is missing from this job, from its attempt, and from other attempts at the same head."""
        attempt = execution.attempt
        same_head = runs.attempts_at(self._session, attempt.repo, attempt.head_sha)
        found = gaps.of_attempts(self._session, [attempt.id, *(one.id for one in same_head)])
        here = [gap for job, gap in found[attempt.id] if job in {0, execution.job.id}]
        alike = {one.job.id for one in self._observations.same_code(attempt.repo, execution)}
        elsewhere = [
            gap
            for key, noted in found.items()
            if key != attempt.id
            for job, gap in noted
            if job == 0 or job in alike
        ]
        return tuple(sorted({*here, *elsewhere}))
