"""Whether a commit contains a change: the question behind every "not yours"."""

from collections.abc import Callable, Collection, Iterable, Mapping
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


def ancestors(
    parents: Parents, start: Sha, *, known: Mapping[Sha, frozenset[Sha]] | None = None
) -> frozenset[Sha]:
    """The commit and all that it descends from, as far as parents are known.

    `known` are such answers for other commits, which save walking their histories again.
    """
    answers = known or {}
    seen: set[Sha] = set()
    frontier = [start]
    while frontier:
        sha = frontier.pop()
        if sha in seen:
            continue
        if sha in answers:
            seen |= answers[sha]
        else:
            seen.add(sha)
            frontier += parents.get(sha, ())
    return frozenset(seen)


def is_ancestor(parents: Parents, older: Sha, newer: Sha) -> bool | None:
    """Whether `newer` is `older` or descends from it; None where its history is not known to the end."""
    seen: set[Sha] = set()
    frontier, complete = [newer], True
    while frontier:
        sha = frontier.pop()
        if sha == older:
            return True
        if sha not in seen:
            seen.add(sha)
            complete = complete and sha in parents
            frontier += parents.get(sha, ())
    return False if complete else None


def newest_first(parents: Parents, head: Sha, own: Collection[Sha]) -> tuple[Sha, ...]:
    """`own` with `head` first and no commit before one that descends from it, as far as parents are known.

    What the walk from the head does not reach comes last, by name.
    """
    ordered: list[Sha] = []
    seen: set[Sha] = set()
    stack = [(head, False)]
    while stack:
        sha, is_done = stack.pop()
        if is_done:
            ordered.append(sha)
        elif sha in own and sha not in seen:
            seen.add(sha)
            stack.append((sha, True))
            stack += [(parent, False) for parent in sorted(parents.get(sha, ()))]
    return (*reversed(ordered), *sorted(set(own) - seen))


def change_set(
    parents: Parents, head: Sha, base: Sha, of_base: Collection[Sha], *, also_own: Iterable[Sha] = ()
) -> ChangeSet:
    """What `head` adds to `base`, as far as parents are known; `of_base` are the base's `ancestors`.

    `also_own` are commits known to carry the change under another name, such as the squash of a merged
    pull request.
    """
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
    return ChangeSet(head, base, frozenset(own.difference(of_base)), complete)


def relate(parents: Parents, change: ChangeSet, of_base: Collection[Sha], other: Sha) -> Related:
    """Say whether `other` contains the change, walking from it until the base's history is reached.

    `of_base` are the `ancestors` of the change's base, or nothing where it has none.
    """
    if other in change.own:
        return Related(Relation.WITH_CHANGE, f"{short(other)} is part of the change")
    if other in of_base:
        return Related(Relation.WITHOUT_CHANGE, f"{short(other)} is in the history of the base")
    reached: set[Sha] = set()
    frontier, complete = [other], True
    while frontier:
        sha = frontier.pop()
        if sha in reached or sha in of_base:
            continue
        reached.add(sha)
        complete = complete and sha in parents
        frontier += parents.get(sha, ())
    if shared := reached & change.own:
        return Related(Relation.WITH_CHANGE, f"{short(other)} contains {short(min(shared))} of the change")
    if change.complete and complete:
        return Related(Relation.WITHOUT_CHANGE, f"{short(other)} has none of the change's commits")
    return Related(Relation.UNKNOWN, f"the history of {short(other)} is not known far enough back")


def fork_point(parents: Parents, head: Sha, on_branch: Callable[[Sha], bool]) -> Sha | None:
    """Where `head` left a branch: the one commit of the branch at which every walk from it arrives first.

    None if it is not known, or if walks arrive at several, as after merging the branch into it.
    """
    arrived: set[Sha] = set()
    seen: set[Sha] = set()
    frontier = [head]
    while frontier:
        sha = frontier.pop()
        if sha in seen:
            continue
        seen.add(sha)
        if on_branch(sha):
            arrived.add(sha)
        elif sha not in parents:
            return None
        else:
            frontier += parents[sha]
    return arrived.pop() if len(arrived) == 1 else None


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
