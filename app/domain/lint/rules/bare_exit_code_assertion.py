"""An assertion on exit codes that says neither whose code it is nor what it was.

`assert all(process.exitcode == 0 for process in processes)` fails as `assert False`. In the incident behind
this rule that line was all that two failed runs of main left behind. Which rank, and whether it crashed (a
negative code is a signal), was known to the parent at that moment, and it did not say so.

A comparison of lists shows the codes by itself, so it is no finding; a fixed sentence as message shows
nothing.
"""

import ast
from collections.abc import Iterator

from app.domain.lint.exit_checks import Check, ExitCodes
from app.domain.lint.finding import Rule
from app.domain.lint.frames import Frame
from app.domain.lint.mending import mend, name_of, of_processes, processes_name
from app.domain.lint.program import Program, Root
from app.domain.lint.ranks import number
from app.domain.lint.weakness import Weakness
from app.domain.lint.workers import How


def find(program: Program) -> Iterator[Weakness]:
    codes = ExitCodes(program)
    for root in program.roots:
        for check in codes.zero_checks(root.steps):
            if not _is_told(program, codes, check):
                yield _weakness(program, root, check)


def _is_told(program: Program, codes: ExitCodes, check: Check) -> bool:
    if any(tells(program, part, check.frame) for part in check.message):
        return True
    if isinstance(check.step.node, ast.If):
        return False
    named = any(_is_sub_test(within.node) for within in check.step.within)
    return named or codes.shows_codes(check.test, check.frame)


def _is_sub_test(node: ast.AST) -> bool:
    return isinstance(node, ast.With) and any(
        isinstance(item.context_expr, ast.Call)
        and isinstance(item.context_expr.func, ast.Attribute)
        and item.context_expr.func.attr == "subTest"
        for item in node.items
    )


def tells(program: Program, message: ast.expr, frame: Frame) -> bool:
    """Whether a message holds a fact of the moment: not a fixed sentence, nor the number of processes."""
    for node in ast.walk(message):
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        origin = program.values.origin(node, frame)
        fixed = isinstance(origin.node, ast.Constant) or number(program.values, node, frame) is not None
        if not fixed and not _is_code_name(program, node.id) and node.id not in _SIZES:
            return True
    return False


def _is_code_name(program: Program, name: str) -> bool:
    """Whether a name stands for code: `raise WorkerFailed` says no more than its name does."""
    return program.file.is_imported_or_builtin(name) or program.file.class_named(name) is not None


_SIZES = frozenset(
    {"world_size", "nprocs", "num_processes", "n_procs", "nproc", "timeout", "timeout_s", "self", "cls"}
)


def _weakness(program: Program, root: Root, check: Check) -> Weakness:
    code = _code(check.test)
    programs = code.attr == "returncode" if code is not None else _starts_programs_only(root)
    written = program.file.text(
        check.step.node if isinstance(check.step.node, ast.Assert) else check.test, longest=80
    )
    many = "what the program said" if programs else f"which of `{processes_name(program, root)}` it was"
    text = f"`{written}` fails without saying {many}, nor the exit code"
    mended = _of_program(program, code) if programs else mend(*of_processes(processes_name(program, root)))
    return Weakness(Rule.BARE_EXIT_CODE_ASSERTION, check.step.node, root.test_ids, text, mended)


def _starts_programs_only(root: Root) -> bool:
    return bool(root.starts) and all(start.how is How.PROGRAM for start in root.starts)


def _code(test: ast.expr) -> ast.Attribute | None:
    return next(
        (n for n in ast.walk(test) if isinstance(n, ast.Attribute) and n.attr in {"exitcode", "returncode"}),
        None,
    )


def _of_program(program: Program, code: ast.Attribute | None) -> str:
    owner = name_of(program, code.value, "result") if code is not None else "result"
    return mend(
        f"assert {owner}.returncode == 0, (",
        f'    f"rank program ended with {{{owner}.returncode}}:\\n{{{owner}.stdout}}\\n{{{owner}.stderr}}"',
        ")  # start it with capture_output=True, text=True",
    )
