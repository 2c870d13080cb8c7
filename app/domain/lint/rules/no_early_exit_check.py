"""The parent waits for a word of its workers and does not watch them, so a dead one costs the whole timeout.

A worker that dies before it has put anything leaves `queue.get(timeout=180)` waiting for 180 s, or for
ever; what is shown then is `Empty`, which is about the queue. In the incident behind this rule the test
with the mend fails in 4 s with the worker's own traceback.
"""

import ast
from collections.abc import Iterator

from app.domain.lint.finding import Rule
from app.domain.lint.mending import empty_name, mend, name_of, one_name, plain, processes_name
from app.domain.lint.program import Program, Root
from app.domain.lint.steps import Step, is_loop
from app.domain.lint.waits import OF_SEVERAL, SHORT_S, Wait, is_look, looks_in, waits
from app.domain.lint.weakness import Weakness
from app.domain.lint.workers import How, Start


def find(program: Program) -> Iterator[Weakness]:
    for root in program.roots:
        unwatched = [start for start in root.starts if _is_unwatched(start)]
        if not unwatched:
            continue
        places = {step: place for place, step in enumerate(root.steps)}
        first = min(places[start.step] for start in unwatched if start.step is not None)
        for wait in waits(program, root.steps):
            place = places[wait.step]
            if place > first and is_long(wait) and not _is_watched(program, root, wait, first, place):
                yield _weakness(program, root, wait)


def _is_unwatched(start: Start) -> bool:
    """Whether nothing raises in the parent by itself where a started process dies."""
    if start.how is How.SPAWN and start.step is not None and isinstance(start.step.node, ast.Call):
        return any(
            k.arg == "join" and isinstance(k.value, ast.Constant) and k.value.value is False
            for k in start.step.node.keywords
        )
    return start.how is How.PROCESS


def is_long(wait: Wait) -> bool:
    """Whether a dead worker would cost more than SHORT_S: no end, a late one, or short ones in a loop."""
    again = any(isinstance(within.node, ast.While) for within in wait.step.within)
    return wait.timeout_s is None or wait.timeout_s >= SHORT_S or again


def _is_watched(program: Program, root: Root, wait: Wait, first: int, place: int) -> bool:
    """Whether processes are looked at in the loop that waits, or between their start and the wait."""
    loops = [within for within in wait.step.within if is_loop(within)]
    if _ends_by_itself(program, root, wait, place) or looks_in(program, wait.call, wait.step.frame):
        return True
    if any(looks_in(program, loop.node, loop.frame) for loop in loops):
        return True
    inside = {loop.node for loop in loops}
    for step in root.steps:
        if inside & {within.node for within in step.within} and _looks(program, step):
            return True
    return any(_looks(program, step) for step in root.steps[first:place])


def _ends_by_itself(program: Program, root: Root, wait: Wait, place: int) -> bool:
    """Whether the parent has closed its copy of the writer: then a pipe ends where the last child does."""
    if wait.channel is None or not program.file.dotted(wait.channel.node).endswith("Pipe()"):
        return False
    for step in root.steps[:place]:
        match step.node:
            case ast.Call(func=ast.Attribute(attr="close", value=owner)):
                closed = program.values.origin(owner, step.frame)
                if closed.node is wait.channel.node and closed.place != wait.channel.place:
                    return True
    return False


def _looks(program: Program, step: Step) -> bool:
    if isinstance(step.node, ast.Call):
        return is_look(program, step.node, step.frame) or is_look(program, step.node.func, step.frame)
    headed = isinstance(
        step.node, ast.If | ast.While | ast.For | ast.With | ast.Try | ast.FunctionDef | ast.ClassDef
    )
    parts = [getattr(step.node, "test", None), getattr(step.node, "iter", None)] if headed else [step.node]
    return any(looks_in(program, part, step.frame) for part in parts if part is not None)


def _weakness(program: Program, root: Root, wait: Wait) -> Weakness:
    processes = processes_name(program, root)
    receiver = name_of(program, wait.receiver, "reports")
    long = "for ever" if wait.timeout_s is None and not _has_timeout(wait) else "for the whole timeout"
    text = (
        f"`{program.file.text(wait.call, longest=60)}` waits {long} where one of `{processes}` "
        "has died without a word: nothing looks at them meanwhile"
    )
    return Weakness(
        Rule.NO_EARLY_EXIT_CHECK, wait.call, root.test_ids, text, _mend(program, wait, receiver, processes)
    )


def _has_timeout(wait: Wait) -> bool:
    return bool(wait.call.args) or any(k.arg == "timeout" for k in wait.call.keywords)


def _mend(program: Program, wait: Wait, receiver: str, processes: str) -> str:
    one = one_name(processes)
    attr = wait.call.func.attr if isinstance(wait.call.func, ast.Attribute) else "get"
    dead = f"dead = {{{one}.name: {one}.exitcode for {one} in {processes} if {one}.exitcode}}"
    fails = 'assert not dead, f"ended before they reported: {dead}"'
    empty = empty_name(program)
    if program.file.dotted(wait.call.func) == OF_SEVERAL:
        function, ready = plain(program, wait.call.func, "wait"), plain(program, wait.receiver, "readers")
        sentinels = f"*({one}.sentinel for {one} in {processes})"
        return mend(f"ready = {function}([*{ready}, {sentinels}], timeout=60)", dead, fails)
    if attr in {"recv", "recv_bytes", "poll"}:
        return mend(
            f"while not {receiver}.poll(0.5):", f"    {dead}", f"    {fails}", f"report = {receiver}.recv()"
        )
    if attr == "wait":
        return mend(f"while not {receiver}.wait(timeout=0.5):", f"    {dead}", f"    {fails}")
    return mend(
        "while True:",
        "    try:",
        f"        report = {receiver}.get(timeout=0.5)",
        "        break",
        f"    except {empty}:" + ("" if "." in empty else "  # from queue import Empty"),
        f"        {dead}",
        f"        {fails}",
    )
