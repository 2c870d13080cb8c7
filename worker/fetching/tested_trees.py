"""Find out which code a job tested: what its checkout step printed, and what GitHub knows of that commit."""

from collections.abc import Collection

from app.domain.checkout import Checkout
from app.domain.errors import Gone
from app.domain.gap import Gap, GapKind
from app.domain.ids import Sha
from app.domain.run import TESTS_THE_PUSHED_COMMIT
from app.domain.tested_tree import UNKNOWN_TREE, TestedTree, ToldBy, TreeSource
from app.domain.wording import short
from app.github.facts import CommitFacts
from app.store.run_values import StoredAttempt
from worker.deps import Deps

_ASKED_FOR = frozenset({"workflow_dispatch", "schedule"})
"""Events whose workflows often check out something else than the commit they are reported at."""

Found = tuple[TestedTree, tuple[Gap, ...]]


class TreeFinder:
    """For one attempt; asks GitHub once for each commit, however many jobs checked it out."""

    def __init__(self, deps: Deps, attempt: StoredAttempt) -> None:
        self._github, self._attempt = deps.github, attempt
        self._commits: dict[Sha, CommitFacts | None] = {}
        self._base_in_head: dict[Sha, bool | None] = {}

    def seen(self) -> list[CommitFacts]:
        """The commits that were looked up on the way."""
        return [facts for facts in self._commits.values() if facts is not None]

    def find(
        self, job: str, checkout: Checkout | None, *, in_run: Collection[Sha] = (), has_log: bool = True
    ) -> Found:
        """The tested tree, or an unknown one with the gap that says why.

        `in_run` are the commits that any job of the attempt is known to have checked out.
        """
        head = self._attempt.head_sha
        if checkout is not None and checkout.is_one_of_several:
            return UNKNOWN_TREE, (_unknown(job, "it checked out several commits of this repository"),)
        if checkout is None or checkout.commit is None:
            doubt = self._doubt(in_run)
            if self._attempt.event in TESTS_THE_PUSHED_COMMIT and not doubt:
                return self._head(ToldBy.EVENT), ()
            shown = "its log shows no checkout of this repository" if has_log else "its log was not read"
            return UNKNOWN_TREE, (_unknown(job, f"{shown}{doubt}"),)
        if checkout.commit == head:
            return self._head(ToldBy.CHECKOUT_STEP), ()
        return self._merge(job, checkout.commit, checkout)

    def _doubt(self, in_run: Collection[Sha]) -> str:
        """Why the event alone does not tell what was tested; empty where it does."""
        head, event = self._attempt.head_sha, self._attempt.event
        other = next((sha for sha in sorted(in_run) if sha != head), None)
        if other is not None:
            return f", and another job of the run checked out {short(other)}"
        if event in _ASKED_FOR and head not in in_run:
            return f", and a {event} may have asked for any commit"
        return ""

    def _head(self, told_by: ToldBy) -> TestedTree:
        facts = self._commit(self._attempt.head_sha)
        tree = facts.tree if facts else None
        return TestedTree(TreeSource.HEAD, self._attempt.head_sha, tree, told_by=told_by)

    def _merge(self, job: str, commit: Sha, checkout: Checkout) -> Found:
        """A commit other than the head is believed only if it is a merge of that head."""
        head, facts = self._attempt.head_sha, self._commit(commit)
        parents = facts.parents if facts else _told_parents(checkout)
        if len(parents) != 2 or head not in parents:  # noqa: PLR2004 - a merge of two
            detail = f"it checked out {short(commit)}, which is neither {short(head)} nor a merge of it"
            return UNKNOWN_TREE, (_unknown(job, detail),)
        base = parents[0] if parents[1] == head else parents[1]
        tested = TestedTree(
            source=TreeSource.MERGE_COMMIT,
            commit=commit,
            tree=facts.tree if facts else None,
            merge_base_parent=base,
            base_in_head=self._is_ancestor(base, head),
        )
        if facts is None and tested.base_in_head is None:
            return tested, (_unknown(job, f"GitHub no longer has the merge commit {short(commit)}"),)
        return tested, ()

    def _commit(self, sha: Sha) -> CommitFacts | None:
        if sha not in self._commits:
            try:
                self._commits[sha] = self._github.commit(self._attempt.repo_name, sha)
            except Gone:
                self._commits[sha] = None
        return self._commits[sha]

    def _is_ancestor(self, base: Sha, head: Sha) -> bool | None:
        if base not in self._base_in_head:
            try:
                comparison = self._github.compare(self._attempt.repo_name, base, head)
                self._base_in_head[base] = comparison.behind_by == 0
            except Gone:
                self._base_in_head[base] = None
        return self._base_in_head[base]


def _told_parents(checkout: Checkout) -> tuple[Sha, ...]:
    if checkout.merged_head is None or checkout.merged_base is None:
        return ()
    return (checkout.merged_base, checkout.merged_head)


def _unknown(job: str, detail: str) -> Gap:
    return Gap(GapKind.TREE_UNKNOWN, job, detail)
