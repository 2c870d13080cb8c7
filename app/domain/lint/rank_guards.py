"""Which steps of a worker only one rank reaches."""

import ast
from collections.abc import Iterator

from app.domain.lint.frames import Frame
from app.domain.lint.program import Program
from app.domain.lint.ranks import is_rank
from app.domain.lint.steps import Part, Step

_MAIN = (
    "is_main",
    "is_master",
    "is_rank_zero",
    "is_rank0",
    "is_rank_0",
    "is_primary",
    "is_chief",
    "is_leader",
)


def rank_guard(program: Program, step: Step) -> ast.AST | None:
    """The condition by which only one rank comes to the step; None where all may."""
    places = [(step.node, step.frame), *((w.node, w.frame) for w in step.within if w.part is Part.CALL)]
    for node, frame in places:
        for guard in _guards(program, node, frame):
            return guard
    return None


def _guards(program: Program, node: ast.AST, frame: Frame) -> Iterator[ast.AST]:
    around = list(program.file.around(node))
    inside = around[: around.index(frame.function.node) + 1]
    for below, current in zip((node, *inside), inside, strict=False):
        if _lets_one_through(program, current, below, frame):
            yield current
        yield from _left_before(program, below, current, frame)


def _lets_one_through(program: Program, around: ast.AST, below: ast.AST, frame: Frame) -> bool:
    """Whether what stands around a part of itself leads only one rank there."""
    match around:
        case ast.If(test=test, body=body, orelse=orelse):
            return (_is_in(below, body) and selects(program, test, frame)) or (
                _is_in(below, orelse) and excludes(program, test, frame)
            )
        case ast.IfExp(test=test, body=value, orelse=other):
            return (below is value and selects(program, test, frame)) or (
                below is other and excludes(program, test, frame)
            )
        case ast.match_case(pattern=ast.MatchValue()):
            match = program.file.parent(around)
            return isinstance(match, ast.Match) and is_rank(
                program.file, program.values, match.subject, frame
            )
        case ast.BoolOp(op=ast.And(), values=values):
            return any(selects(program, value, frame) for value in values[:-1])
    return False


def _left_before(program: Program, below: ast.AST, around: ast.AST, frame: Frame) -> Iterator[ast.AST]:
    """A statement above it in the same block by which all ranks but one have left."""
    for block in ("body", "orelse", "finalbody"):
        statements = getattr(around, block, None)
        if not isinstance(statements, list) or not _is_in(below, statements):
            continue
        for statement in statements[: statements.index(below)]:
            match statement:
                case ast.If(test=test, body=[*_, ast.Return() | ast.Continue()], orelse=[]):
                    if excludes(program, test, frame):
                        yield statement


def _is_in(node: ast.AST, statements: list[ast.stmt]) -> bool:
    return any(node is statement for statement in statements)


def selects(program: Program, test: ast.expr, frame: Frame, hops: int = 4) -> bool:
    """Whether the condition is true on one rank only."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return is_rank(program.file, program.values, inner, frame) or excludes(
                program, inner, frame, hops
            )
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Lt()], comparators=[right]):
            return _is_rank_against(program, left, right, frame)
        case ast.BoolOp(op=ast.And(), values=values):
            return any(selects(program, value, frame, hops) for value in values)
        case ast.Compare(left=given, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return _is_given_to_one(program, given, frame)
    return _is_given_to_one(program, test, frame) or _named(program, test, frame, hops)


def excludes(program: Program, test: ast.expr, frame: Frame, hops: int = 4) -> bool:
    """Whether the condition is true on all ranks but one."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return selects(program, inner, frame, hops)
        case ast.Compare(left=left, ops=[ast.NotEq() | ast.Gt()], comparators=[right]):
            return _is_rank_against(program, left, right, frame)
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(excludes(program, value, frame, hops) for value in values)
        case ast.Compare(left=given, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            return _is_given_to_one(program, given, frame)
    return is_rank(program.file, program.values, test, frame)


def _is_rank_against(program: Program, left: ast.expr, right: ast.expr, frame: Frame) -> bool:
    return is_rank(program.file, program.values, left, frame) != is_rank(
        program.file, program.values, right, frame
    )


def _is_given_to_one(program: Program, node: ast.expr, frame: Frame) -> bool:
    """Whether the parent gives it to one rank only: `queue if rank == 0 else None`."""
    origin = program.values.origin(node, frame)
    match origin.node:
        case ast.IfExp(test=test, orelse=ast.Constant(value=None)):
            return selects(program, test, origin.frame)
    return False


def _named(program: Program, test: ast.expr, frame: Frame, hops: int) -> bool:
    """`is_main = rank == 0`, by whatever name, or a name that says it."""
    word = program.file.dotted(test).removesuffix("()").rpartition(".")[2].lower()
    if word.startswith(_MAIN):
        return True
    origin = program.values.origin(test, frame)
    if hops <= 0 or origin.node is test or not isinstance(origin.node, ast.expr):
        return False
    return selects(program, origin.node, origin.frame, hops - 1)
