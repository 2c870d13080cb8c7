"""How a file itself writes its calls and modules, for the texts and mends of the rules about ranks."""

import ast
import textwrap
from copy import copy
from functools import lru_cache

from app.domain.lint.mending import plain
from app.domain.lint.program import Program

_LONGEST = 80
_MOST_LINES = 6
_Headed = ast.If | ast.For | ast.While | ast.With
_WORK = "...  # the work that may raise"


def quoted(program: Program, node: ast.AST) -> str:
    """The call as the file writes it, on one line; of a compound statement its first line."""
    if isinstance(node, _Headed):
        return _head(node)[:_LONGEST]
    if isinstance(node, ast.Try | ast.Match):
        return program.file.text(node, longest=10_000).partition(":")[0][:_LONGEST]
    return program.file.text(node, longest=_LONGEST)


def distributed(program: Program) -> str:
    """What the file calls torch.distributed."""
    names = (name for name, full in program.file.imported.items() if full == "torch.distributed")
    return next(names, "dist")


def statement_of(program: Program, node: ast.AST) -> ast.stmt | None:
    """The statement in which a node stands; around a raise the condition that leads to it."""
    here = node if isinstance(node, ast.stmt) else None
    own = here or next((n for n in program.file.around(node) if isinstance(n, ast.stmt)), None)
    above = program.file.parent(own) if isinstance(own, ast.Raise) else None
    return above if isinstance(above, ast.If) else own


def calls_of(program: Program, node: ast.AST) -> list[str]:
    """The statement around a node as lines of code at the left edge; its call alone where that is long."""
    statement = statement_of(program, node)
    lines = _lines(program, statement) if statement is not None else None
    if lines is not None:
        return lines
    return [plain(program, node, _WORK) if isinstance(node, ast.expr) else _WORK]


def written(program: Program, node: ast.AST) -> list[str]:
    """The call as a line of code, where it is short enough to stand in an example."""
    return [plain(program, node, "...  # the next collective")]


def way_into(program: Program, node: ast.AST, apart: ast.AST) -> tuple[ast.AST, list[str]]:
    """The outermost loop, condition or with that leads to a node and not to the other; and that way as code.

    What is pasted before it stands outside the loop, and is done once.
    """
    heads: list[_Headed] = []
    others = set(program.file.around(apart))
    below = node
    for around in program.file.around(node):
        if isinstance(around, _Headed) and around not in others:
            if below not in around.body:
                break
            heads.append(around)
        elif isinstance(around, ast.stmt) and below is not node:
            break
        below = around
    if not heads:
        return node, written(program, node)
    code = [*(f"{_head(head)}:" for head in reversed(heads)), *written(program, node)]
    return heads[-1], ["    " * depth + line for depth, line in enumerate(code)]


def _head(node: _Headed) -> str:
    bare = copy(node)
    bare.body = [ast.Pass()]
    if not isinstance(bare, ast.With):
        bare.orelse = []
    return ast.unparse(bare).partition("\n")[0].removesuffix(":")


def _lines(program: Program, statement: ast.stmt) -> list[str] | None:
    """The statement's own lines, if they are few and stand for themselves."""
    if isinstance(statement, ast.Return) and statement.value is not None:
        return [ast.unparse(statement.value)]
    end = statement.end_lineno or statement.lineno
    if end - statement.lineno >= _MOST_LINES:
        return None
    lines = program.file.source.split("\n")[statement.lineno - 1 : end]
    lines[0] = " " * statement.col_offset + lines[0].encode()[statement.col_offset :].decode(errors="replace")
    text = textwrap.dedent("\n".join(lines))
    try:
        ast.parse(text)
    except SyntaxError:
        return None
    return text.split("\n")


def tests_at(program: Program, node: ast.AST) -> tuple[str, ...]:
    """The tests that come to a node, in their own process or in a worker that they start."""
    return tuple(_tests_by_node(program).get(node, ()))


@lru_cache(maxsize=1)  # asked for each finding of a file
def _tests_by_node(program: Program) -> dict[ast.AST, dict[str, None]]:
    found: dict[ast.AST, dict[str, None]] = {}
    for root in program.roots:
        steps = (*root.steps, *(step for worker in root.workers for step in program.steps(worker.frame)))
        for step in steps if root.tests else ():
            found.setdefault(step.node, {}).update(dict.fromkeys(root.test_ids))
    return found
