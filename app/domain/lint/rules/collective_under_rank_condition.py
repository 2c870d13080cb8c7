"""A collective that only some ranks enter, by a condition on the rank's number.

Every rank of a group has to make each of its collectives, in one order. A barrier under `if rank == 0`, a
return of some ranks before one, or another collective on the other branch leaves the ranks that came waiting
for ranks that never come.

Silent where the other branch makes the matching collective, where the collective is a subgroup's, which the
condition may well select, where a branch ends by raising, and on point-to-point messages.
"""

import ast
from collections.abc import Iterator

from app.domain.lint.finding import Rule
from app.domain.lint.flow.graph import FORWARD, Kind, Point, matches, reached, reaching
from app.domain.lint.flow.runs import Run, runs
from app.domain.lint.flow.ways import Ways
from app.domain.lint.mending import mend, plain
from app.domain.lint.program import Program
from app.domain.lint.rounds_of_ranks import mend_of_rounds, parts_ranks
from app.domain.lint.sameness import Sameness
from app.domain.lint.weakness import Weakness
from app.domain.lint.words_of_ranks import quoted, written

_MOST_PAIRS = 30  # of collectives that are compared, one after the other, behind one condition
_RANKS_TRIED = 4


def find(program: Program) -> Iterator[Weakness]:
    seen: set[tuple[ast.AST, tuple[str, ...]]] = set()
    for run in (r for r in runs(program) if not r.is_alone):
        for fork, lonely in _lonely_in(program, run):
            assert lonely.node is not None
            if (lonely.node, run.tests) not in seen:
                seen.add((lonely.node, run.tests))
                yield _weakness(program, run, fork, lonely)


def _lonely_in(program: Program, run: Run) -> Iterator[tuple[Point, Point]]:
    """Collectives that ranks on one way of a fork make alone, each with the fork that parts them."""
    for fork in run.of_kind(Kind.BRANCH, Kind.LOOP):
        if not fork.flags & Sameness.RANK or not parts_ranks(program, run, fork) or _is_before_joining(fork):
            continue
        ways = [way for way, edge in fork.after if edge & FORWARD]
        if any(_ends_by_raising(run, way) for way in ways):
            continue
        ranks = [_of_way(program, run, fork, way) for way in ways]
        known = [rank for rank in ranks if rank is not None]
        told = _apart(run, known[0], known[1]) if len(known) == len(ways) > 1 else None
        if told is None:
            told = [p for a in ways for b in ways if a is not b for p in _unmatched(a, b)][:1]
        yield from ((fork, lonely) for lonely in told)


def _of_way(program: Program, run: Run, fork: Point, way: Point) -> Ways | None:
    """What a rank that takes this way does at all conditions, where the fork tells its number."""
    for rank in range(_RANKS_TRIED):
        ways = Ways(program, run.ranks, rank)
        if ways.takes(fork.node) is not None and way in ways.after(fork):
            return ways
    return None


def _apart(run: Run, one: Ways, other: Ways) -> list[Point] | None:
    """What one of two ranks makes alone, from their start on; None where their ways are not told.

    The calls that both come to keep them in step; between these they must make the same in number and kind.
    """
    ours, theirs = _sequence(run, one), _sequence(run, other)
    if ours is None or theirs is None:
        return None
    found: list[Point] = []
    shared = [p for p in ours if p in theirs]
    for mine, yours in zip(_parted(ours, shared), _parted(theirs, shared), strict=True):
        in_step = next(
            (i for i, (a, b) in enumerate(zip(mine, yours, strict=False)) if a.name != b.name), None
        )
        at = min(len(mine), len(yours)) if in_step is None else in_step
        extra = mine[at:] or yours[at:]
        found += {p.ruled: p for p in reversed(extra)}.values()
    return found


def _sequence(run: Run, ways: Ways) -> list[Point] | None:
    """The collectives of the whole group that a rank makes, in order; None where that is not told."""
    if not any(p is run.end or p.kind is Kind.EXIT for p in ways.from_here(run.start)):
        return None
    found: list[Point] = []
    at = run.start
    while following := _next_whole(at, ways):
        if len(following) > 1:
            return None
        at = following[0]
        found.append(at)
    return found


def _parted(sequence: list[Point], shared: list[Point]) -> list[list[Point]]:
    """What stands before, between and behind the shared ones."""
    parts: list[list[Point]] = [[]]
    for point in sequence:
        if point in shared:
            parts.append([])
        else:
            parts[-1].append(point)
    return parts


def _next_whole(start: Point, ways: Ways | None) -> list[Point]:
    """The next collectives of the whole group; a subgroup's are nothing that others wait for."""
    seen, waiting = {start}, [start]
    found: list[Point] = []
    for point in waiting:
        if point is not start and point.kind is Kind.COLLECTIVE and point.whole:
            found.append(point)
            continue
        after = ways.after(point) if ways else [p for p, edge in point.after if edge & FORWARD]
        waiting += [p for p in after if p not in seen]
        seen.update(after)
    return found


def _is_before_joining(fork: Point) -> bool:
    """Whether the process is no rank yet: who is not to join returns before."""
    joined = frozenset({Kind.JOINS})
    was = any(p.kind in {Kind.JOINS, Kind.COLLECTIVE} for p in reaching(fork, FORWARD, joined))
    return not was and any(p.kind is Kind.JOINS for p in reached(fork, FORWARD, joined))


def _ends_by_raising(run: Run, way: Point) -> bool:
    return all(p is not run.end and p.kind not in {Kind.COLLECTIVE, Kind.EXIT} for p in reached(way, FORWARD))


def _unmatched(one: Point, other: Point) -> list[Point]:
    """The first collective that ranks on the first way make alone, going through both ways in step."""
    for _ in range(_MOST_PAIRS):
        ours, theirs = _next_whole(one, None), _next_whole(other, None)
        lonely = [a for a in ours if not any(matches(a, b) for b in theirs)]
        if lonely or len(ours) != 1 or len(theirs) != 1 or ours[0] is theirs[0]:
            return lonely[:1]
        one, other = ours[0], theirs[0]
    return []


def _weakness(program: Program, run: Run, fork: Point, lonely: Point) -> Weakness:
    assert lonely.node is not None
    ruled = lonely.ruled
    if ruled is not None and ruled.flags & Sameness.RANK and parts_ranks(program, run, ruled):
        fork = ruled
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
    if fork.kind is Kind.LOOP and fork.node is not None:
        return mend_of_rounds(program, fork.node, call[0])
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
