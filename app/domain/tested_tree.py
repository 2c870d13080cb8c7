"""Which code a job really tested, and when two jobs tested the same."""

from dataclasses import dataclass
from enum import StrEnum

from app.domain.ids import Sha, TreeSha


class TreeSource(StrEnum):
    """How the tested code is known (CONTRACTS, "Tested tree")."""

    MERGE_COMMIT = "merge-commit"
    HEAD = "head"
    UNKNOWN = "unknown"


class ToldBy(StrEnum):
    """Who said what was tested: every claim on a tested tree names it."""

    CHECKOUT_STEP = "checkout-step"  # the job's log
    EVENT = "event"  # an event that by its nature tests the pushed head
    FILE = "file"  # an entry of history that was brought in


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
    told_by: ToldBy = ToldBy.CHECKOUT_STEP


_TOLD = {
    ToldBy.CHECKOUT_STEP: "in the checkout step",
    ToldBy.EVENT: "of the event",
    ToldBy.FILE: "named in the history that was brought in",
}

UNKNOWN_TREE = TestedTree(source=TreeSource.UNKNOWN)


@dataclass(frozen=True, slots=True)
class SameTree:
    """`known` is None when the facts do not decide; `how` is a clause: how it is known, or why not."""

    known: bool | None
    how: str


def compare_trees(one: TestedTree, other: TestedTree, *, same_head: bool) -> SameTree:
    """Decide whether two jobs tested the same code. An equal `head_sha` alone never decides it."""
    if TreeSource.UNKNOWN in {one.source, other.source}:
        return SameTree(known=None, how="there is no record of what one of them checked out")
    source = _pair(one, other)
    if one.commit is not None and one.commit == other.commit:
        return SameTree(known=True, how=f"both tested the same commit {one.commit[:7]}, known from {source}")
    if one.tree is not None and other.tree is not None:
        if one.tree == other.tree:
            return SameTree(known=True, how=f"both tested the same tree {one.tree[:7]}, known from {source}")
        trees = " and ".join(sorted([one.tree[:7], other.tree[:7]]))
        return SameTree(known=False, how=f"the trees are {trees}, known from {source}")
    if same_head and _adds_nothing(one) and _adds_nothing(other):
        how = f"both tested the head's own tree, known from {source}; no base was merged that it did not hold"
        return SameTree(known=True, how=how)
    return SameTree(known=None, how=f"one of the trees is missing ({source})")


def _adds_nothing(tested: TestedTree) -> bool:
    return tested.source is TreeSource.HEAD or tested.base_in_head is True


def _pair(one: TestedTree, other: TestedTree) -> str:
    return " and ".join(sorted({_word(one), _word(other)}))


def _word(tested: TestedTree) -> str:
    if tested.source is TreeSource.MERGE_COMMIT:
        named = f" {tested.commit[:7]}" if tested.commit is not None else ""
        return f"the merge commit{named} {_TOLD[tested.told_by]}"
    if tested.told_by is ToldBy.FILE:
        return f"the head as pushed, {_TOLD[tested.told_by]}"
    return "the head as pushed"
