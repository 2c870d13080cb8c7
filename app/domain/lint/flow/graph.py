"""The graph of one rank's run: what it reaches next from any point, normally and after a raise."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Flag, StrEnum, auto

from app.domain.lint.sameness import Sameness


class Kind(StrEnum):
    JOIN = "join"
    BRANCH = "branch"
    LOOP = "loop"
    COLLECTIVE = "collective"
    POINT = "point"
    """A message from one rank to one other."""
    STORE = "store"
    JOINS = "joins"
    """The process becomes a rank."""
    LEAVES = "leaves"
    """The group is destroyed."""
    RAISE = "raise"
    RETURN = "return"
    EXIT = "exit"
    """`sys.exit`, `os._exit` and the like."""
    WORK = "work"
    """Any other call."""
    END = "end"


class Edge(Flag):
    NORMAL = auto()
    BACK = auto()
    """To the next round of a loop."""
    RAISED = auto()
    IMPLICIT = auto()
    """From a try to a handler whose exception no `raise` of the file shows."""


FORWARD = Edge.NORMAL
ROUND = Edge.NORMAL | Edge.BACK
FAILING = Edge.NORMAL | Edge.RAISED
FAILING_ROUND = FAILING | Edge.BACK
ANY = FAILING_ROUND | Edge.IMPLICIT


@dataclass(slots=True, eq=False)
class Point:
    """One thing that a rank does. `calls` are the calls of the file that led there, outermost first.

    `flags` say of a branch how its condition, and of anything else how its being reached, differs by rank;
    `ruled` is the innermost branch whose condition does. `whole` is false for a subgroup's collective.
    """

    kind: Kind
    node: ast.AST | None = None
    calls: tuple[ast.expr, ...] = ()
    name: str = ""
    flags: Sameness = Sameness.SAME
    ruled: "Point | None" = None
    whole: bool = True
    fixed: bool = False
    """Whether, behind the branch that rules it, the file's own constants decide whether it is reached."""
    after: "list[tuple[Point, Edge]]" = field(default_factory=list)
    before: "list[tuple[Point, Edge]]" = field(default_factory=list)

    @property
    def chain(self) -> tuple[ast.AST, ...]:
        """The calls that led there, and the thing itself."""
        return (*self.calls, self.node) if self.node is not None else self.calls

    @property
    def line(self) -> int:
        return int(getattr(self.node, "lineno", 0))


def link(one: Point, other: Point, edge: Edge) -> None:
    one.after.append((other, edge))
    other.before.append((one, edge))


def reached(start: Point, edges: Edge, stops: frozenset[Kind] = frozenset()) -> Iterator[Point]:
    """All points from this one on, itself first; nothing is followed behind a stop."""
    yield from _searched(start, edges, stops, forward=True)


def reaching(start: Point, edges: Edge, stops: frozenset[Kind] = frozenset()) -> Iterator[Point]:
    """All points that lead to this one, nearest first."""
    yield from _searched(start, edges, stops, forward=False)


def _searched(start: Point, edges: Edge, stops: frozenset[Kind], *, forward: bool) -> Iterator[Point]:
    seen, waiting = {start}, [start]
    for point in waiting:
        yield point
        if point.kind in stops and point is not start:
            continue
        for other, edge in point.after if forward else point.before:
            if edge & edges and other not in seen:
                seen.add(other)
                waiting.append(other)


_COLLECTIVES = frozenset({Kind.COLLECTIVE})
_NEIGHBOURS = frozenset({Kind.COLLECTIVE, Kind.JOINS})


def next_collectives(start: Point, edges: Edge) -> tuple[Point, ...]:
    """The first collectives that the run can come to, one for each way there."""
    return tuple(
        p for p in reached(start, edges, _COLLECTIVES) if p.kind is Kind.COLLECTIVE and p is not start
    )


def last_collectives(end: Point) -> tuple[Point, ...]:
    """The last collectives, or the joining of the group, that the run can have come from, nearest first."""
    return tuple(p for p in reaching(end, ANY, _NEIGHBOURS) if p.kind in _NEIGHBOURS and p is not end)


def matches(one: Point, other: Point) -> bool:
    """Whether two ranks can be in these two collectives at once and still make the same ones in all."""
    if one.node is other.node:
        return True
    return one.name == other.name and all(p is not other for p in reached(one, FORWARD))
