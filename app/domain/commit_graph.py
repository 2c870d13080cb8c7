"""Whether a commit contains a change: the question behind every "not yours"."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from app.domain.evidence import Relation
from app.domain.ids import Sha
from app.domain.wording import short

Parents = Mapping[Sha, tuple[Sha, ...]]
"""Known parents by commit; a root has none, and a commit that is not a key is not known."""


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """The commits that are a change's own, and a base that is known not to have them.

    `complete` says that `own` misses none; only then can anything be known to lack the change.
    """

    head: Sha
    base: Sha | None
    own: frozenset[Sha]
    complete: bool


@dataclass(frozen=True, slots=True)
class Related:
    relation: Relation
    how: str


def ancestors(parents: Parents, start: Sha) -> frozenset[Sha]:
    """The commit and all that it descends from, as far as parents are known."""
    seen: set[Sha] = set()
    frontier = [start]
    while frontier:
        sha = frontier.pop()
        if sha in seen:
            continue
        seen.add(sha)
        frontier += parents.get(sha, ())
    return frozenset(seen)


def change_set(parents: Parents, head: Sha, base: Sha, *, also_own: Iterable[Sha] = ()) -> ChangeSet:
    """What `head` adds to `base`, as far as parents are known.

    `also_own` are commits known to carry the change under another name, such as the squash of a merged
    pull request.
    """
    of_base = ancestors(parents, base)
    own: set[Sha] = {head, *also_own}
    frontier, complete = [head], True
    seen: set[Sha] = set()
    while frontier:
        sha = frontier.pop()
        if sha in seen or sha in of_base:
            continue
        seen.add(sha)
        own.add(sha)
        if sha in parents:
            frontier += parents[sha]
        else:
            complete = False
    # Where the base's history is cut, some of these may have been in it all along: calling them own
    # excuses less, never more.
    return ChangeSet(head, base, frozenset(own - of_base), complete)


def relate(parents: Parents, change: ChangeSet, other: Sha) -> Related:
    """Say whether `other` contains the change, walking from it until the base's history is reached."""
    if other in change.own:
        return Related(Relation.WITH_CHANGE, f"{short(other)} is part of the change")
    of_base = frozenset[Sha]() if change.base is None else ancestors(parents, change.base)
    if other in of_base:
        return Related(Relation.WITHOUT_CHANGE, f"{short(other)} is in the history of the base")
    reached = ancestors({sha: up for sha, up in parents.items() if sha not in of_base}, other)
    if reached & change.own:
        shared = short(min(reached & change.own))
        return Related(Relation.WITH_CHANGE, f"{short(other)} contains {shared} of the change")
    if change.complete and all(sha in parents or sha in of_base for sha in reached):
        return Related(Relation.WITHOUT_CHANGE, f"{short(other)} has none of the change's commits")
    return Related(Relation.UNKNOWN, f"the history of {short(other)} is not known far enough back")


def relate_by_missing(change: ChangeSet, other: Sha, missing: Collection[Sha], *, is_all: bool) -> Related:
    """The same from a comparison: `missing` are the commits of the change's head that `other` lacks.

    Unlike a merge base, of which two commits can have several, this holds for any shape of history.
    """
    if other in change.own:
        return Related(Relation.WITH_CHANGE, f"{short(other)} is part of the change")
    contained = change.own - set(missing)
    if contained and is_all:
        return Related(Relation.WITH_CHANGE, f"{short(other)} contains {short(min(contained))} of the change")
    if change.complete and not contained:
        return Related(Relation.WITHOUT_CHANGE, f"{short(other)} has none of the change's commits")
    return Related(Relation.UNKNOWN, f"how {short(other)} relates to {short(change.head)} is not known")
