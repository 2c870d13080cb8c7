"""The parent waits for a word of its workers and does not watch them, so a dead one costs the whole timeout.

A worker that dies before it has put anything leaves `queue.get(timeout=180)` waiting for 180 s, or for
ever; what is shown then is `Empty`, which is about the queue. In the incident behind this rule the test
with the mend fails in 4 s with the worker's own traceback.
"""

import ast
from collections.abc import Iterator

from app.domain.lint.channels import is_same
from app.domain.lint.finding import Rule
from app.domain.lint.mending import (
    WHY_KILLED,
    clock_of,
    codes_by_number,
    empty_name,
    mend,
    name_of,
    one_name,
    plain,
    processes_name,
)
from app.domain.lint.program import Program, Root
from app.domain.lint.reporting import Reporting
from app.domain.lint.rules.one_item_drained import mend_of_few, too_few
from app.domain.lint.steps import Step, Within, is_loop
from app.domain.lint.waits import OF_SEVERAL, SHORT_S, Wait, is_look, looks_in, waits
from app.domain.lint.weakness import Weakness
from app.domain.lint.workers import How, Start

_GOES_ON = {"sentinel", "sentinels", "SIGCHLD"}  # handed to what waits, or to what the system calls
_PAUSES = {"sleep", "poll", "wait", "get", "recv"}
_USUAL_S, _LONGEST_S = 180.0, 86_400.0
"""The deadline in a mend where the file tells none, and what is none in practice."""


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
    """Whether processes are looked at while the parent waits, or were seen through before it waits."""
    loops = [within for within in wait.step.within if is_loop(within)]
    others = _others(program, root, wait)
    if _ends_by_itself(program, root, wait, place) or looks_in(program, wait.call, wait.step.frame, others):
        return True
    if any(looks_in(program, loop.node, loop.frame, others) for loop in loops):
        return True
    inside = {loop.node for loop in loops}
    for step in root.steps:
        if inside & {within.node for within in step.within} and _looks(program, step, others):
            return True
    return any(_is_lasting(program, root, step, wait, others) for step in root.steps[first:place])


def _others(program: Program, root: Root, wait: Wait) -> frozenset[ast.AST]:
    """The calls that make processes which put nothing on what is waited for: their life tells nothing."""
    if wait.channel is None:
        return frozenset()
    made, putting = set[ast.AST](), set[ast.AST]()
    for worker in root.workers:
        assert worker.start.step is not None
        made.add(worker.start.step.node)
        if any(is_same(one.channel, wait.channel) for one in Reporting(program, worker).told):
            putting.add(worker.start.step.node)
    return frozenset(made - putting) if putting else frozenset()


def _is_lasting(program: Program, root: Root, step: Step, wait: Wait, others: frozenset[ast.AST]) -> bool:
    """Whether a look before the wait holds for it: one that itself waited, or that goes on beside it.

    `assert process.is_alive()` right after the start tells nothing of the minutes that follow.
    """
    if not _looks(program, step, others):
        return False
    if isinstance(step.node, ast.While) or any(_is_waiting(within) for within in step.within):
        return True
    if any(isinstance(n, ast.Attribute) and n.attr in _GOES_ON for n in ast.walk(step.node)):
        return True
    if any(node is step.node for node in program.file.around(wait.call)):
        return True
    return any(_is_join(earlier.node) for earlier in root.steps[: root.steps.index(step)])


def _is_waiting(within: Within) -> bool:
    """Whether it is a loop that goes round until something has come: a while, or one that sleeps."""
    if not is_loop(within):
        return False
    return isinstance(within.node, ast.While) or any(
        isinstance(n, ast.Attribute | ast.Name) and getattr(n, "attr", getattr(n, "id", "")) in _PAUSES
        for n in ast.walk(within.node)
    )


def _is_join(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join"


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


def _looks(program: Program, step: Step, others: frozenset[ast.AST]) -> bool:
    if isinstance(step.node, ast.Call):
        return any(is_look(program, node, step.frame, others) for node in (step.node, step.node.func))
    headed = isinstance(
        step.node, ast.If | ast.While | ast.For | ast.With | ast.Try | ast.FunctionDef | ast.ClassDef
    )
    parts = [getattr(step.node, "test", None), getattr(step.node, "iter", None)] if headed else [step.node]
    return any(looks_in(program, part, step.frame, others) for part in parts if part is not None)


def _weakness(program: Program, root: Root, wait: Wait) -> Weakness:
    processes = processes_name(program, root)
    receiver = name_of(program, wait.receiver, "reports")
    long = "for ever" if wait.timeout_s is None and not _has_timeout(wait) else "for the whole timeout"
    text = (
        f"`{program.file.text(wait.call, longest=60)}` waits {long} where one of `{processes}` "
        "has died without a word: nothing looks at them meanwhile"
    )
    return Weakness(
        Rule.NO_EARLY_EXIT_CHECK,
        wait.call,
        root.test_ids,
        text,
        _mend(program, root, wait, receiver, processes),
    )


def _has_timeout(wait: Wait) -> bool:
    return bool(wait.call.args) or any(k.arg == "timeout" for k in wait.call.keywords)


def _mend(program: Program, root: Root, wait: Wait, receiver: str, processes: str) -> str:
    few = next((one for one in too_few(program, root) if one.read.call is wait.call), None)
    if few is not None:
        return mend_of_few(program, root, few)  # one mend for both
    attr = wait.call.func.attr if isinstance(wait.call.func, ast.Attribute) else "get"
    if program.file.dotted(wait.call.func) == OF_SEVERAL:
        function, ready = plain(program, wait.call.func, "wait"), plain(program, wait.receiver, "readers")
        one = one_name(processes)
        sentinels = f"*({one}.sentinel for {one} in {processes})"
        dead = f"dead = {codes_by_number(processes, only_bad=True)}"
        fails = 'assert not dead, f"ended before they reported: {dead}"'
        return mend(f"ready = {function}([*{ready}, {sentinels}], timeout=60)", dead, fails)
    begins, looks = _watch(program, wait, processes)
    if attr in {"recv", "recv_bytes", "poll"}:
        return mend(begins, f"while not {receiver}.poll(0.5):", *looks, f"report = {receiver}.recv()")
    if attr == "wait":
        return mend(begins, f"while not {receiver}.wait(timeout=0.5):", *looks)
    empty = empty_name(program)
    return mend(
        begins,
        "while True:",
        "    try:",
        f"        report = {receiver}.get(timeout=0.5)",
        "        break",
        f"    except {empty}:" + ("" if "." in empty else "  # from queue import Empty"),
        *(f"    {look}" for look in looks),
    )


def _watch(program: Program, wait: Wait, processes: str) -> tuple[str, list[str]]:
    """What is looked at between two short waits; the wait's own limit is kept for a process that hangs."""
    seconds = f"{wait.timeout_s:g}" if wait.timeout_s and wait.timeout_s < _LONGEST_S else f"{_USUAL_S:g}"
    clock, unknown = clock_of(program)
    one = one_name(processes)
    looks = [
        f"    dead, late = {codes_by_number(processes, only_bad=True)}, {clock}() > end",
        f"    for {one} in {processes} if dead or late else []:",
        f"        {one}.kill()  # {WHY_KILLED}",
        f'    assert not dead and not late, f"no report within {seconds} s; exit codes {{dead}}"',
    ]
    return f"end = {clock}() + {seconds}{unknown}", looks
