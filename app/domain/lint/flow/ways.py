"""Which way a rank of a given number takes at a condition, and all that it can come to."""

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping

from app.domain.lint.flow.graph import FORWARD, Kind, Point
from app.domain.lint.flow.known_calls import RANK_VARIABLES
from app.domain.lint.program import Program
from app.domain.lint.sameness import Sameness, names_a_rank

_FIRST = re.compile(
    r"_*(?:is_|am_|on_)?(?:main|master|rank_?(?:0|zero)|leader|chief|host|coordinator|first|root)(?:_process|_rank|_node)?_*"
)
_FIRST_CALL = re.compile(r"(?:is|on|am)_(?:main|master|rank_?(?:0|zero)|leader|chief|host|first|root)\w*")
_ORDERED: Mapping[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class Ways:
    """The points that one rank comes to in a run; both ways where the file does not tell which it takes."""

    def __init__(self, program: Program, ranks: frozenset[str], rank: int) -> None:
        self._program = program
        self._ranks = ranks
        self._rank = rank

    def from_here(self, start: Point, stops: frozenset[Kind] = frozenset()) -> Iterator[Point]:
        """All points that the rank can reach from here on, itself first; nothing behind a stop."""
        seen, waiting = {start}, [start]
        for point in waiting:
            yield point
            if point.kind in stops and point is not start:
                continue
            for following in self.after(point):
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)

    def after(self, point: Point) -> list[Point]:
        """What comes next for this rank."""
        ways = [other for other, edge in point.after if edge & FORWARD]
        if point.kind is Kind.BRANCH and point.flags & Sameness.RANK and len(ways) > 1:
            answer = self.takes(point.node)
            if answer is not None:
                return ways[:1] if answer else ways[1:]
        return ways

    def takes(self, node: ast.AST | None) -> bool | None:
        """Whether the condition of a branch holds on this rank; None where the file does not tell."""
        match node:
            case ast.If(test=test) | ast.IfExp(test=test):
                return self.holds(test)
            case ast.BoolOp(op=ast.And(), values=[first, *_]):
                return self.holds(first)
            case ast.BoolOp(op=ast.Or(), values=[first, *_]):
                answer = self.holds(first)
                return None if answer is None else not answer
        return None

    def holds(self, test: ast.expr, hops: int = 6) -> bool | None:  # noqa: PLR0911 - one arm a kind of condition
        """The condition with this rank's number put in."""
        if not hops:
            return None
        match test:
            case ast.Constant(value=value):
                return bool(value)
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                answer = self.holds(inner, hops - 1)
                return None if answer is None else not answer
            case ast.BoolOp(op=op, values=values):
                return _together(op, [self.holds(value, hops - 1) for value in values])
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compared(left, op, right)
        if self.is_rank(test):
            return self._rank != 0
        return self._named(test, hops)

    def _named(self, test: ast.expr, hops: int) -> bool | None:
        match test:
            case ast.Name(id=name):
                bound = self._program.file.bindings(self._program.file.function_of(test)).get(name, ())
                if len(bound) == 1 and not bound[0].places:
                    return self.holds(bound[0].value, hops - 1)
                return self._rank == 0 if _FIRST.fullmatch(name) else None
            case ast.Attribute(attr=name):
                return self._rank == 0 if _FIRST.fullmatch(name) else None
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                return self._rank == 0 if _FIRST_CALL.fullmatch(name) else None
        return None

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
        one, other = self._number(left), self._number(right)
        if isinstance(op, ast.In | ast.NotIn):
            members = _members(right)
            if one is None or members is None:
                return None
            return (one in members) is isinstance(op, ast.In)
        compare = _ORDERED.get(type(op))
        if one is None or other is None or compare is None:
            return None
        return compare(one, other)

    def _number(self, node: ast.expr) -> int | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | str):
            return int(node.value) if str(node.value).isdecimal() else None
        return self._rank if self.is_rank(node) else None

    def is_rank(self, node: ast.expr) -> bool:
        """Whether the expression is the rank's number itself."""
        match node:
            case ast.Name(id=name):
                return name in self._ranks or names_a_rank(name)
            case ast.Attribute(attr=name):
                return names_a_rank(name)
            case ast.Call(func=ast.Name(id="int"), args=[inner]):
                return self.is_rank(inner)
            case (
                ast.Subscript(slice=ast.Constant(value=str(name)))
                | ast.Call(args=[ast.Constant(value=str(name)), *_])
            ):
                return name in RANK_VARIABLES
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
                return name in {"get_rank", "get_local_rank", "Get_rank"}
        return False


def _together(op: ast.boolop, answers: list[bool | None]) -> bool | None:
    decisive = isinstance(op, ast.Or)
    if decisive in answers:
        return decisive
    return None if None in answers else not decisive


def _members(node: ast.expr) -> set[object] | None:
    if isinstance(node, ast.Tuple | ast.List | ast.Set) and all(
        isinstance(e, ast.Constant) for e in node.elts
    ):
        return {e.value for e in node.elts if isinstance(e, ast.Constant)}
    return None
