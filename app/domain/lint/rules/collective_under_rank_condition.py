"""A collective that only some ranks enter, by a condition on the rank's number.

Every rank of a group has to make each of its collectives, in one order. A barrier under `if rank == 0`, a
return of some ranks before one, or another collective on the other branch leaves the ranks that came waiting
for ranks that never come.

Silent where the other branch makes the matching collective, where the collective is a subgroup's, which the
condition may well select, where a branch ends by raising, and on point-to-point messages.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.domain.lint.finding import Rule
from app.domain.lint.flow.graph import FORWARD, Kind, Point, matches, reached, reaching
from app.domain.lint.flow.runs import Run, runs
from app.domain.lint.flow.ways import Ways
from app.domain.lint.mending import mend, plain
from app.domain.lint.program import Program
from app.domain.lint.rules.words_of_ranks import quoted, written
from app.domain.lint.sameness import Sameness
from app.domain.lint.weakness import Weakness

_MOST_PAIRS = 30  # of collectives that are compared, one after the other, behind one condition
_RANKS_TRIED = 4


def find(program: Program) -> Iterator[Weakness]:
    seen: set[tuple[ast.AST, tuple[str, ...]]] = set()
    for run in (r for r in runs(program) if not r.is_alone):
        for fork in run.of_kind(Kind.BRANCH, Kind.LOOP):
            lonely = _lonely(program, run, fork)
            if lonely is not None and lonely.node is not None and (lonely.node, run.tests) not in seen:
                seen.add((lonely.node, run.tests))
                yield _weakness(program, run, fork, lonely)


def _lonely(program: Program, run: Run, fork: Point) -> Point | None:
    """A collective that no rank on another way makes: of two ranks from their start on where their numbers
    tell which ways they take, else of whoever takes either way from the fork on.
    """
    if not fork.flags & Sameness.RANK or not fork.before or _is_before_joining(fork):
        return None
    ways = [way for way, edge in fork.after if edge & FORWARD]
    for one, other in ((a, b) for a in ways for b in ways if a is not b):
        if _ends_by_raising(run, one) or _ends_by_raising(run, other):
            continue
        ours, theirs = _of_way(program, run, fork, one), _of_way(program, run, fork, other)
        if ours is not None and theirs is not None:
            lonely = _unmatched(_Side(run.start, ours), _Side(run.start, theirs))
        else:
            lonely = _unmatched(_Side(one, None), _Side(other, None))
        if lonely is not None:
            return lonely
    return None


@dataclass(frozen=True, slots=True)
class _Side:
    """Where the ranks of one way are; `ways` answer for one such rank, None where the file does not tell
    which.
    """

    at: Point
    ways: Ways | None

    def following(self) -> list[Point]:
        """The next collectives of the whole group; a subgroup's are nothing that others wait for."""
        seen, waiting = {self.at}, [self.at]
        found: list[Point] = []
        for point in waiting:
            if point is not self.at and point.kind is Kind.COLLECTIVE and point.whole:
                found.append(point)
                continue
            after = self.ways.after(point) if self.ways else [p for p, edge in point.after if edge & FORWARD]
            waiting += [p for p in after if p not in seen]
            seen.update(after)
        return found


def _of_way(program: Program, run: Run, fork: Point, way: Point) -> Ways | None:
    """What a rank that takes this way does at other conditions, where the fork tells its number."""
    for rank in range(_RANKS_TRIED):
        ways = Ways(program, run.ranks, rank)
        if ways.takes(fork.node) is not None and way in ways.after(fork):
            return ways
    return None


def _is_before_joining(fork: Point) -> bool:
    """Whether the process is no rank yet: who is not to join returns before."""
    joined = frozenset({Kind.JOINS})
    was = any(p.kind in {Kind.JOINS, Kind.COLLECTIVE} for p in reaching(fork, FORWARD, joined))
    return not was and any(p.kind is Kind.JOINS for p in reached(fork, FORWARD, joined))


def _ends_by_raising(run: Run, way: Point) -> bool:
    return all(p is not run.end and p.kind not in {Kind.COLLECTIVE, Kind.EXIT} for p in reached(way, FORWARD))


def _unmatched(one: _Side, other: _Side) -> Point | None:
    """The first collective that ranks on the first way make alone, going through both ways in step."""
    for _ in range(_MOST_PAIRS):
        ours, theirs = one.following(), other.following()
        lonely = [a for a in ours if not any(_meets(a, b, one, other) for b in theirs)]
        if lonely:
            return lonely[0]
        if len(ours) != 1 or len(theirs) != 1 or ours[0].node is theirs[0].node:
            return None
        one, other = replace(one, at=ours[0]), replace(other, at=theirs[0])
    return None


def _meets(ours: Point, theirs: Point, one: _Side, other: _Side) -> bool:
    """Whether the two are one collective for their ranks; where both ranks are known, going on in step will
    tell.
    """
    if one.ways is not None and other.ways is not None:
        return ours.name == theirs.name
    return matches(ours, theirs)


def _weakness(program: Program, run: Run, fork: Point, lonely: Point) -> Weakness:
    assert lonely.node is not None
    if lonely.ruled is not None and lonely.ruled.node is not None and lonely.ruled.flags & Sameness.RANK:
        fork = lonely.ruled
    assert fork.node is not None
    function = program.file.function_of(lonely.node).name
    condition = quoted(program, getattr(fork.node, "test", fork.node))
    call = quoted(program, lonely.node)
    text = (
        f"only some ranks come to `{call}` in `{function}`, by `{condition}` of line {fork.line}; "
        f"they wait there for ranks that make no {lonely.name} to match it"
    )
    return Weakness(
        Rule.COLLECTIVE_UNDER_RANK_CONDITION, lonely.node, run.tests, text, _mend(program, fork, lonely)
    )


def _mend(program: Program, fork: Point, lonely: Point) -> str:
    assert lonely.node is not None
    call = [
        line.replace("...  # the next collective", "dist.barrier()") for line in written(program, lonely.node)
    ]
    condition = "rank == 0"
    if isinstance(fork.node, ast.If):
        condition = plain(program, fork.node.test, condition)
        if fork.node not in program.file.around(lonely.node):
            return mend(
                f"{call[0]}  # every rank comes here",
                f"if {condition}:",
                "    ...  # and these may leave now",
            )
    return mend(f"if {condition}:", "    ...  # what these ranks do alone", *call)
