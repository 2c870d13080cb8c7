"""Which code an ingested job tested, from what its entry says, the commits that are known, and its log."""

from app.domain.checkout import Checkout
from app.domain.commit_graph import Parents, is_ancestor
from app.domain.gap import Gap, GapKind
from app.domain.ids import Sha, TreeSha
from app.domain.run import TESTS_THE_PUSHED_COMMIT
from app.domain.tested_tree import UNKNOWN_TREE, TestedTree, ToldBy, TreeSource
from app.domain.wording import short
from worker.ingest.manifest import Entry

Found = tuple[TestedTree, tuple[Gap, ...]]


class CodeFinder:
    """Answers from one repository's known commits: their parents and, where known, their trees."""

    def __init__(self, parents: Parents, trees: dict[Sha, TreeSha]) -> None:
        self._parents, self._trees = parents, trees

    def find(self, entry: Entry, checkout: Checkout | None) -> Found:
        """The tested tree, or an unknown one with the gap that says why."""
        denied = self._denied(entry, checkout)
        if denied is not None:
            return UNKNOWN_TREE, (_unknown(entry, denied),)
        if entry.event in TESTS_THE_PUSHED_COMMIT:
            return self._head(entry, checkout), ()
        return self._pull(entry, checkout)

    def _head(self, entry: Entry, checkout: Checkout | None) -> TestedTree:
        told_by = ToldBy.EVENT if entry.tree is None else ToldBy.FILE
        if checkout is not None and checkout.commit is not None:
            told_by = ToldBy.CHECKOUT_STEP
        tree = entry.tree or self._trees.get(entry.sha)
        return TestedTree(TreeSource.HEAD, entry.sha, tree, told_by=told_by)

    def _pull(self, entry: Entry, checkout: Checkout | None) -> Found:
        base = _other_parent(entry.parents, entry.sha)
        if base is not None or entry.tree is not None:
            return self._merge(entry, None, entry.tree, base, ToldBy.FILE)
        if checkout is None or checkout.commit is None:
            return UNKNOWN_TREE, (_unknown(entry, "neither its tree nor a checkout in its log is known"),)
        if checkout.commit == entry.sha:
            return TestedTree(TreeSource.HEAD, entry.sha, self._trees.get(entry.sha)), ()
        base = _other_parent(self._parents.get(checkout.commit) or _told_parents(checkout), entry.sha)
        if base is None:
            detail = f"it checked out {short(checkout.commit)}, which is not known to be a merge of the head"
            return UNKNOWN_TREE, (_unknown(entry, detail),)
        tree = self._trees.get(checkout.commit)
        return self._merge(entry, checkout.commit, tree, base, ToldBy.CHECKOUT_STEP)

    def _denied(self, entry: Entry, checkout: Checkout | None) -> str | None:
        """What the log shows that the entry denies. The log was there, so nothing of both is believed."""
        if checkout is None or (checkout.commit is None and not checkout.is_one_of_several):
            return None
        if checkout.commit is None:
            return "its log shows checkouts of several commits of this repository"
        shown, commit = f"its log shows a checkout of {short(checkout.commit)}", checkout.commit
        if entry.event in TESTS_THE_PUSHED_COMMIT and commit != entry.sha:
            return f"{shown}, and the {entry.event} is reported at {short(entry.sha)}"
        if entry.tree is not None and self._trees.get(commit, entry.tree) != entry.tree:
            return f"{shown}, whose tree is not the one that was told"
        told = _other_parent(entry.parents, entry.sha)
        base = _other_parent(self._parents.get(commit) or _told_parents(checkout), entry.sha)
        if told is not None and (commit == entry.sha or base not in {None, told}):
            return f"{shown}, which is not the merge with {short(told)} that was told"
        return None

    def _merge(
        self, entry: Entry, commit: Sha | None, tree: TreeSha | None, base: Sha | None, told_by: ToldBy
    ) -> Found:
        tested = TestedTree(
            source=TreeSource.MERGE_COMMIT,
            commit=commit,
            tree=tree,
            merge_base_parent=base,
            base_in_head=None if base is None else is_ancestor(self._parents, base, entry.sha),
            told_by=told_by,
        )
        if tree is None and not tested.base_in_head:
            return tested, (_unknown(entry, f"the tree of the merge of {short(entry.sha)} is not known"),)
        return tested, ()


def _other_parent(parents: tuple[Sha, ...] | None, head: Sha) -> Sha | None:
    """The base side of a merge of `head`; None for anything that is not known to be one."""
    if parents is None or len(parents) != 2 or head not in parents:  # noqa: PLR2004 - a merge of two
        return None
    return parents[0] if parents[1] == head else parents[1]


def _told_parents(checkout: Checkout) -> tuple[Sha, ...] | None:
    if checkout.merged_head is None or checkout.merged_base is None:
        return None
    return (checkout.merged_base, checkout.merged_head)


def _unknown(entry: Entry, detail: str) -> Gap:
    return Gap(GapKind.TREE_UNKNOWN, entry.job, detail)
