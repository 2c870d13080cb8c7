"""Work that may raise on one rank only stands between two collectives, and nobody asks how it ended.

The others go on into the next collective and wait there until the group's timeout; what a log then shows is
that timeout, on the rank that did nothing wrong. In the incident behind this rule a planner raised on rank 0
after fourteen matched reductions, and rank 1 waited alone in the fifteenth. A `try` around the whole with the
outcome reduced behind it comes too late: the next collective stands inside it.

Silent where the condition of the raise is the same on all ranks, where the raise is caught before the next
collective, and where both who raised and who did not come to the same next collective.
"""

import ast
from collections.abc import Iterator

from app.domain.lint.finding import Rule, Window
from app.domain.lint.flow.graph import (
    FAILING,
    FAILING_ROUND,
    FORWARD,
    ROUND,
    Kind,
    Point,
    last_collectives,
    matches,
    next_collectives,
    reached,
)
from app.domain.lint.flow.runs import Run, runs
from app.domain.lint.mending import mend
from app.domain.lint.program import Program
from app.domain.lint.sameness import Sameness
from app.domain.lint.weakness import Weakness
from app.domain.lint.words_of_ranks import calls_of, distributed, quoted, way_into


def find(program: Program) -> Iterator[Weakness]:
    """One for each gap between two collectives, at the first place that may raise: one mend closes it."""
    gaps: dict[tuple[tuple[str, ...], Window | None], Weakness] = {}
    for run in (r for r in runs(program) if not r.is_alone):
        for point in run.of_kind(Kind.RAISE):
            awaited = _awaited_by_others(point)
            before = None if awaited is None or point.node is None else _came_from(point)
            if awaited is not None and before is not None:
                found = _weakness(program, run, point, before, awaited)
                gap = (run.tests, found.window)
                gaps[gap] = min(gaps.get(gap, found), found, key=_line)
    yield from gaps.values()


def _line(weakness: Weakness) -> int:
    return int(getattr(weakness.node, "lineno", 1))


def _awaited_by_others(point: Point) -> Point | None:
    """The collective in which the other ranks wait while this one has raised; None where there is none."""
    fork = point.ruled
    if fork is None or not _is_local(point) or not point.before:
        return None
    for other_way, own_way in ((FORWARD, FAILING), (ROUND, FAILING_ROUND)):
        own = next_collectives(point, own_way)
        for awaited in next_collectives(fork, other_way):
            if awaited.name != "shutdown" and not any(matches(awaited, one) for one in own):
                return None if _is_told_by_then(point, fork) else awaited
    return None


def _is_local(point: Point) -> bool:
    """Whether the raise can come on one rank alone. A check that a test makes of a collective's result is the
    test's own, and seldom differs by rank; nor does what is raised again tell anything new.
    """
    if not point.flags & Sameness.LOCAL or point.fixed:
        return False
    if isinstance(point.node, ast.Raise):
        return point.node.exc is not None
    if point.flags & Sameness.UNKNOWN and not point.flags & Sameness.RANK:
        return False  # most that a test asserts is alike on all ranks, though the file does not tell
    return not point.flags & Sameness.AGREED


def _is_told_by_then(point: Point, fork: Point) -> bool:
    """Whether a kept error is raised behind a collective that told the others, who raise as well."""
    if not isinstance(point.node, ast.Raise) or not isinstance(point.node.exc, ast.Name | ast.Attribute):
        return False
    before_next = reached(fork, FORWARD, frozenset({Kind.COLLECTIVE}))
    return any(p.kind is Kind.BRANCH and p.flags & Sameness.AGREED and _can_raise(p) for p in before_next)


def _can_raise(fork: Point) -> bool:
    near = reached(fork, FORWARD, frozenset({Kind.COLLECTIVE, Kind.BRANCH, Kind.LOOP}))
    return any(p.kind is Kind.RAISE for p in near)


def _came_from(point: Point) -> Point | None:
    """The collective that all ranks have behind them, the nearest above where the file is read downwards."""
    found = last_collectives(point)
    above = [p for p in found if _parting(p.chain, point.chain)[0] < _parting(point.chain, p.chain)[0]]
    return next(iter(above or found), None)


def _parting(chain: tuple[ast.AST, ...], other: tuple[ast.AST, ...]) -> tuple[int, ast.AST]:
    """The first call of a chain that the other does not share, with its line: where both stand in one
    function.
    """
    apart = next((one for one, two in zip(chain, other, strict=False) if one is not two), chain[-1])
    return int(getattr(apart, "lineno", 0)), apart


def _weakness(program: Program, run: Run, point: Point, last: Point, awaited: Point) -> Weakness:
    assert point.node is not None
    after_line, after = _parting(last.chain, point.chain)
    until_line, until = _parting(awaited.chain, point.chain)
    work_line, work = _parting(point.chain, awaited.chain)
    before, way = way_into(program, until, work)
    before_line = int(getattr(before, "lineno", until_line))
    window = Window(after_line, quoted(program, after), before_line, quoted(program, before))
    function = program.file.function_of(point.node).name
    through = "" if work is point.node else f", called as `{quoted(program, work)}` in line {work_line}"
    text = (
        f"`{function}` may raise here on one rank only{through}; the other ranks go on into "
        f"`{quoted(program, until)}` of line {until_line} and wait there, since nothing after "
        f"`{quoted(program, after)}` of line {after_line} tells them"
    )
    return Weakness(
        Rule.RANK_LOCAL_RAISE_BEFORE_COLLECTIVE,
        point.node,
        run.tests,
        text,
        _mend(program, work, way),
        window,
    )


def _mend(program: Program, work: ast.AST, way: list[str]) -> str:
    dist = distributed(program)
    statement = calls_of(program, work)
    return mend(
        "error = None",
        "try:",
        *(f"    {line}" for line in statement),
        "except Exception as raised:",
        "    error = raised",
        f"errors = [None] * {dist}.get_world_size()",
        f"{dist}.all_gather_object(errors, repr(error) if error else None)  # every rank comes here",
        "if any(errors):",
        '    raise error or RuntimeError(f"another rank failed: {errors}")',
        *way,
    )
