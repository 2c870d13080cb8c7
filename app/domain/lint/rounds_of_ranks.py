"""Loops that a rank's number counts, so that ranks differ in their rounds; and how they come to go alike.

What a call makes of the rank, a rank's slice of a list or a parameter may well be as long on every rank: such
a loop is not known to differ, and nothing is said of it.
"""

import ast
from collections.abc import Iterator
from itertools import takewhile

from app.domain.lint.flow.graph import Kind, Point
from app.domain.lint.flow.runs import Run
from app.domain.lint.flow.ways import Ways
from app.domain.lint.mending import mend, plain
from app.domain.lint.program import Program
from app.domain.lint.words_of_ranks import distributed

_MOST_HOPS = 4
_COUNTING = frozenset({"range", "int", "len", "min", "max", "abs", "list", "tuple", "sorted", "reversed"})
_COUNTING |= {"enumerate", "bool", "sum"}
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def parts_ranks(program: Program, run: Run, fork: Point) -> bool:
    """Whether ranks part there: at any branch by the rank, and at a loop where the number itself counts."""
    if fork.kind is Kind.BRANCH:
        return True
    ways = Ways(program, run.ranks, 0)
    return any(_counts(program, ways, node, _MOST_HOPS) for node in _counted(fork.node))


def _counted(loop: ast.AST | None) -> list[ast.expr]:
    """What tells how many rounds there are."""
    match loop:
        case ast.For(iter=over) | ast.AsyncFor(iter=over) | ast.While(test=over):
            return [over]
    return [generator.iter for generator in getattr(loop, "generators", ())]


def _counts(program: Program, ways: Ways, node: ast.expr, hops: int) -> bool:
    if ways.is_rank(node):
        return True
    if isinstance(node, ast.Name):
        return any(_counts(program, ways, one, hops - 1) for one in _given(program, node) if hops)
    return any(_counts(program, ways, part, hops) for part in _counting_parts(node))


def _counting_parts(node: ast.expr) -> Iterator[ast.expr]:
    """The parts that the count follows from; the elements of a list do not change its length."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=arguments):
            yield from arguments if name in _COUNTING else ()
        case ast.Subscript(value=ast.List() | ast.Tuple() | ast.Dict(), slice=place):
            yield place
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            yield from _counted(node)
        case ast.BinOp() | ast.UnaryOp() | ast.BoolOp() | ast.Compare() | ast.IfExp():
            yield from (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))


def _given(program: Program, name: ast.Name) -> Iterator[ast.expr]:
    """What the name is given in its function, and the conditions under which it is."""
    function = program.file.function_of(name)
    for bound in program.file.bindings(function).get(name.id, ()):
        if bound.places:
            continue
        yield bound.value
        inside = takewhile(lambda node: node is not function.node, program.file.around(bound.value))
        yield from (node.test for node in inside if isinstance(node, ast.If))


def mend_of_rounds(program: Program, loop: ast.AST, call: str) -> str:
    """All ranks go as many rounds as the one with the most; the call stays inside the loop."""
    dist = distributed(program)
    if isinstance(loop, ast.While):
        return mend(
            "while True:",
            f"    going = [None] * {dist}.get_world_size()",
            f"    {dist}.all_gather_object(going, bool({plain(program, loop.test, '...')}))",
            "    if not any(going):  # as many rounds on every rank",
            "        break",
            f"    {call}",
        )
    own = loop.generators[0] if isinstance(loop, _Comprehension) else loop
    over = plain(program, getattr(own, "iter", loop), "...")
    target = ast.unparse(getattr(own, "target", loop))
    return mend(
        f"items = list({over})",
        f"counts = [None] * {dist}.get_world_size()",
        f"{dist}.all_gather_object(counts, len(items))",
        "for turn in range(max(counts)):  # as many rounds on every rank",
        f"    {target} = items[turn] if turn < len(items) else None  # or what a rank with no more brings",
        f"    {call}",
    )
