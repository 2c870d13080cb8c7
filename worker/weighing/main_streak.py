"""The stretch of main, tested commit by tested commit, that failed like the failure judged."""

from collections.abc import Collection, Sequence
from datetime import datetime

from app.domain.commit_graph import ChangeSet
from app.domain.evidence import MainStreak, Observation
from app.domain.ids import Sha
from app.domain.outcome import OutcomeKind
from app.domain.run import TESTS_A_MERGE
from app.domain.tested_tree import TreeSource
from app.store.commit_index import CommitIndex
from app.store.failures import StoredFailure
from app.store.observations import Observations
from app.store.run_values import JobExecution
from worker.weighing.subject import Subjects
from worker.weighing.unseen_past import UnseenPast, is_unknown

EXECUTIONS = 40
"""Executions on main that are looked at before a failure, and as many after it."""


class StreakFinder:
    """Within one session; `index` knows which commits of main descend from which."""

    def __init__(
        self, observations: Observations, subjects: Subjects, unseen: UnseenPast, index: CommitIndex
    ) -> None:
        self._observations, self._subjects, self._index = observations, subjects, index
        self._unseen = unseen

    def on_main(self, failure: StoredFailure, execution: JobExecution, main: str) -> MainStreak | None:
        """The streak that the failure's own commit is part of, later commits included."""
        return self._around(failure, execution, main, {execution.attempt.head_sha}, base=None)

    def under_pull(
        self, failure: StoredFailure, execution: JobExecution, main: str, change: ChangeSet
    ) -> MainStreak | None:
        """The streak that all of what the pull request can have been tested on lies inside."""
        base = self._base_side(execution, change)
        if base is None:
            return None
        bases = {base}
        if self._merges_unknown_base(execution):
            newest = self._newest_tested(failure, execution, main)
            if newest is None:
                return None
            bases.add(newest)
        return self._around(failure, execution, main, bases, base=base)

    def _base_side(self, execution: JobExecution, change: ChangeSet) -> Sha | None:
        """A commit of the base that the tested code holds and that lacks the change."""
        tested = execution.job.tested
        if tested.merge_base_parent is not None:
            return tested.merge_base_parent if tested.merge_base_parent == change.base else None
        if self._merges_unknown_base(execution) or change.base is None:
            return change.base
        return change.base if change.base in self._index.ancestors(change.head) else None

    def _merges_unknown_base(self, execution: JobExecution) -> bool:
        """Then it was merged with main as it stood when it started, or a little before."""
        tested = execution.job.tested
        is_merge = execution.attempt.event == TESTS_A_MERGE and tested.source is not TreeSource.HEAD
        return is_merge and tested.merge_base_parent is None

    def _newest_tested(self, failure: StoredFailure, execution: JobExecution, main: str) -> Sha | None:
        return next((seen.sha for seen in self._before(failure, execution, main)), None)

    def _around(
        self,
        failure: StoredFailure,
        execution: JobExecution,
        main: str,
        inside: Collection[Sha],
        *,
        base: Sha | None,
    ) -> MainStreak | None:
        """The unbroken streak that holds all of `inside`; None if there is none of two commits."""
        for streak in self._streaks(failure, execution, main):
            if len(streak) > 1 and all(self._holds(streak, sha) for sha in inside):
                same = None if base is None else self._subjects.same_values(failure, streak)
                return MainStreak(streak, base, same)
        return None

    def _holds(self, streak: Sequence[Observation], sha: Sha) -> bool:
        """Whether the commit was tested in the streak, or lies between two that were."""
        tested = [seen.sha for seen in streak]
        if sha in tested:
            return True
        came_before = self._index.ancestors(sha)
        return any(one in came_before for one in tested) and any(
            sha in self._index.ancestors(one) for one in tested
        )

    def _streaks(
        self, failure: StoredFailure, execution: JobExecution, main: str
    ) -> list[tuple[Observation, ...]]:
        """Commits in the order of their first test, parted where one passed or failed otherwise.

        One whose results were removed, or lack it and are not whole, may have passed, and so may what is gone
        without a trace.
        """
        if failure.group is None:
            return []
        ran = self._ran(failure, execution, main)
        found = self._subjects.seen_in(failure, ran)
        told = {(one.run, one.attempt, one.job_id): one for one in found}
        seen = [one for one in told.values() if one.outcome is not OutcomeKind.SKIPPED]
        if len({one.sha for one in seen if one.outcome.is_red}) < 2:  # noqa: PLR2004 - one is no streak
            return []
        alike = self._subjects.failed_alike(failure, ran)
        hidden = self._unseen.hidden_jobs(failure, ran, found)
        jobs = {
            (one.attempt.run, one.attempt.attempt, one.job.github_id) for one in ran if one.job.id in alike
        }
        by_sha: dict[Sha, list[tuple[Observation | None, bool]]] = {}
        for ended in reversed(ran):
            key = (ended.attempt.run, ended.attempt.attempt, ended.job.github_id)
            one = told.get(key)
            if is_unknown(failure, ended) or ended.job.id in hidden:
                by_sha.setdefault(ended.attempt.head_sha, []).append((None, False))
            elif one is not None and one.outcome is not OutcomeKind.SKIPPED:
                is_alike = key in jobs and not self._may_be_gone(one)
                by_sha.setdefault(one.sha, []).append((one, is_alike))
        streaks: list[list[Observation]] = [[]]
        for at_commit in by_sha.values():
            first = at_commit[0][0]
            if first is not None and all(is_alike for _, is_alike in at_commit):
                streaks[-1].append(first)
            else:
                streaks.append([])
        return [tuple(streak) for streak in streaks]

    def _may_be_gone(self, one: Observation) -> bool:
        """Whether what came right after it may be gone without a trace."""
        until = self._unseen.removed_until
        return until is not None and one.at <= until

    def _ran(self, failure: StoredFailure, execution: JobExecution, main: str) -> list[JobExecution]:
        """Newest first."""
        variant, at = execution.job.variant_id, execution.attempt.started_at
        before = self._observations.on_branch(failure.repo, variant, main, until=at, limit=EXECUTIONS)
        after = self._observations.on_branch_after(failure.repo, variant, main, after=at, limit=EXECUTIONS)
        return [*after, *before]

    def _before(self, failure: StoredFailure, execution: JobExecution, main: str) -> tuple[Observation, ...]:
        """Newest first, without what skipped it."""
        until: datetime = execution.attempt.started_at
        variant = execution.job.variant_id
        ran = self._observations.on_branch(failure.repo, variant, main, until=until, limit=EXECUTIONS)
        seen = self._subjects.seen_in(failure, ran)
        return tuple(one for one in seen if one.outcome is not OutcomeKind.SKIPPED)
