"""A fixed sleep stands for "by then the other has got so far".

On a machine that is slower than the author's, or busy, the other process, thread or rank has not: a file is
not written, a port not yet open, a process not yet in the state that is asserted. The failure says what is
missing and not why. On a fast machine the same sleep is time lost.

Silent for a sleep in a loop that looks again, for one that plays slow work with nothing read behind it, for
back-off after an error, and where the clock is replaced.
"""

import ast
import re
from collections.abc import Iterator

from app.domain.lint.finding import Rule
from app.domain.lint.mending import mend, plain
from app.domain.lint.program import Program
from app.domain.lint.sleeps import Sleep, sleeps
from app.domain.lint.weakness import Weakness

_REPLACED = re.compile(
    r"freeze_time|freezegun|time_machine|setattr\(\s*[\"']?time[\w.]*[\"']?\s*,\s*[\"']sleep|[\"'][\w.]*time\.sleep[\"']"
)


def find(program: Program) -> Iterator[Weakness]:
    if _REPLACED.search(program.file.source):
        return
    found: dict[ast.AST, tuple[Sleep, list[str]]] = {}
    for sleep in sleeps(program):
        found.setdefault(sleep.call, (sleep, []))[1].extend(sleep.tests)
    for sleep, tests in found.values():
        yield _weakness(program, sleep, tuple(dict.fromkeys(tests)))


def _weakness(program: Program, sleep: Sleep, tests: tuple[str, ...]) -> Weakness:
    function = program.file.function_of(sleep.call)
    where = "the file" if function.is_module else f"`{function.name}`"
    awaited = (
        f"`{program.file.text(sleep.awaited, longest=80)}` of line {getattr(sleep.awaited, 'lineno', 0)}"
    )
    behind = f" after `{program.file.text(sleep.started, longest=80)}`" if sleep.started is not None else ""
    text = (
        f"{where} waits `{program.file.text(sleep.call)}`{behind} in place of looking whether the "
        f"other is so far; on a slower machine {awaited} comes too early"
    )
    return Weakness(Rule.FIXED_SLEEP_AS_SYNCHRONISATION, sleep.call, tests, text, _mend(program, sleep))


def _mend(program: Program, sleep: Sleep) -> str:
    condition = "is_ready()"
    match sleep.awaited:
        case ast.Assert(test=test):
            condition = plain(program, test, condition)
        case ast.Call(func=ast.Attribute(value=inner, attr="read_text" | "read_bytes" | "open")):
            condition = f"{plain(program, inner, 'path')}.exists()"
        case (
            ast.Call(func=ast.Name(id="open"), args=[path, *_])
            | ast.Call(func=ast.Attribute(attr="load"), args=[path])
        ):
            condition = f"os.path.exists({plain(program, path, 'path')})"
    return mend(
        "deadline = time.monotonic() + 60",
        f"while not ({condition}):",
        '    assert time.monotonic() < deadline, "not ready in 60 s"',
        "    time.sleep(0.05)",
    )
