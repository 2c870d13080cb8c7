"""How a file itself writes its calls and modules, for the texts and mends of the rules about ranks."""

import ast
import textwrap

from app.domain.lint.mending import plain
from app.domain.lint.program import Program

_LONGEST = 80
_MOST_LINES = 6


def quoted(program: Program, node: ast.AST) -> str:
    """The call as the file writes it, on one line; of a compound statement its first line."""
    if isinstance(node, ast.If | ast.For | ast.While | ast.Try | ast.With | ast.Match):
        return program.file.text(node, longest=10_000).partition(":")[0][:_LONGEST]
    return program.file.text(node, longest=_LONGEST)


def distributed(program: Program) -> str:
    """What the file calls torch.distributed."""
    for name, full in program.file.imported.items():
        if full == "torch.distributed":
            return name
    return "dist" if "dist" in program.file.source else "torch.distributed"


def statement_of(program: Program, node: ast.AST) -> ast.stmt | None:
    """The statement in which an expression stands; of a raise or assert the condition's."""
    found: ast.stmt | None = node if isinstance(node, ast.stmt) else None
    for outer in program.file.around(node):
        if isinstance(found, ast.Raise) and isinstance(outer, ast.If):
            return outer
        if found is None and isinstance(outer, ast.stmt):
            found = outer
            if not isinstance(found, ast.Raise):
                return found
        elif found is not None:
            return found
    return found


def calls_of(program: Program, node: ast.AST) -> list[str]:
    """The statement around a node as lines of code at the left edge; its call alone where that is long."""
    statement = statement_of(program, node)
    if statement is not None:
        lines = _lines(program, statement)
        if lines is not None:
            return lines
    if isinstance(node, ast.expr):
        return [plain(program, node, "...  # the work that may raise")]
    return ["...  # the work that may raise"]


def written(program: Program, node: ast.AST) -> list[str]:
    """The call as a line of code, where it is short enough to stand in an example."""
    return [plain(program, node, "...  # the next collective")]


def _lines(program: Program, statement: ast.stmt) -> list[str] | None:
    """The statement's own lines, if they are few and stand for themselves."""
    if isinstance(statement, ast.Return):
        return [ast.unparse(statement.value)] if statement.value is not None else None
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
    found: dict[str, None] = {}
    for root in program.roots:
        steps = (*root.steps, *(step for worker in root.workers for step in program.steps(worker.frame)))
        if any(step.node is node for step in steps):
            found.update(dict.fromkeys(root.test_ids))
    return tuple(found)
