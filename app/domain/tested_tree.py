"""Which code a job really tested, and when two jobs tested the same."""

from dataclasses import dataclass
from enum import StrEnum

from app.domain.ids import Sha, TreeSha


class TreeSource(StrEnum):
    """How the tested code is known (CONTRACTS, "Tested tree")."""

    MERGE_COMMIT = "merge-commit"
    HEAD = "head"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TestedTree:
    """The commit that was checked out and its tree, as far as known.

    `merge_base_parent` is the base side of a merge commit: its parent that is not the head.
    """

    __test__ = False

    source: TreeSource
    commit: Sha | None = None
    tree: TreeSha | None = None
    merge_base_parent: Sha | None = None
    base_in_head: bool | None = None
    """Whether that parent is an ancestor of the head (`compare`: `behind_by` 0): the merge adds nothing."""


UNKNOWN_TREE = TestedTree(source=TreeSource.UNKNOWN)


@dataclass(frozen=True, slots=True)
class SameTree:
    """`known` is None when the facts do not decide; `how` is the reason in words."""

    known: bool | None
    how: str


def compare_trees(one: TestedTree, other: TestedTree, *, same_head: bool) -> SameTree:
    """Decide whether two jobs tested the same code. An equal `head_sha` alone never decides it."""
    if TreeSource.UNKNOWN in {one.source, other.source}:
        return SameTree(known=None, how="which code one of them checked out is not known")
    if one.commit is not None and one.commit == other.commit:
        return SameTree(known=True, how=f"both checked out commit {one.commit[:7]}")
    if one.tree is not None and other.tree is not None:
        if one.tree == other.tree:
            return SameTree(known=True, how=f"both checked out tree {one.tree[:7]} ({_pair(one, other)})")
        return SameTree(
            known=False, how=f"the trees differ: {one.tree[:7]} and {other.tree[:7]} ({_pair(one, other)})"
        )
    if same_head and _adds_nothing(one) and _adds_nothing(other):
        return SameTree(known=True, how=f"the merged base was already in the head ({_pair(one, other)})")
    return SameTree(known=None, how=f"the tree of one of them is not known ({_pair(one, other)})")


def _adds_nothing(tested: TestedTree) -> bool:
    return tested.source is TreeSource.HEAD or tested.base_in_head is True


def _pair(one: TestedTree, other: TestedTree) -> str:
    return " and ".join(sorted({_word(one), _word(other)}))


def _word(tested: TestedTree) -> str:
    if tested.source is TreeSource.MERGE_COMMIT and tested.commit is not None:
        return f"merge commit {tested.commit[:7]} from the checkout step"
    return "the head itself" if tested.source is TreeSource.HEAD else "merge commit"
