"""Where a parent waits for its processes' words, and where it looks at the processes themselves."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from app.domain.lint.channels import Taken, is_same, taken
from app.domain.lint.frames import Frame, Value
from app.domain.lint.program import Program
from app.domain.lint.ranks import number
from app.domain.lint.steps import Step

SHORT_S = 10  # a dead worker that costs less than this is not worth a watch
_EVENTS = ("Event()", "Barrier()", "Condition()")
OF_SEVERAL = "multiprocessing.connection.wait"
_PEEKS = {"empty", "qsize", "poll"}
_LOOKS = {"is_alive", "exitcode", "sentinel", "sentinels", "SIGCHLD", "active_children", "pid_exists"}


@dataclass(frozen=True, slots=True, eq=False)
class Wait:
    """A call that blocks until another process has said something, `timeout_s` at most if that is told.

    `timeout_s` is None where there is no end, or one that the file does not tell.
    """

    step: Step
    call: ast.Call
    receiver: ast.expr
    timeout_s: float | None
    channel: Value | None = None


def waits(program: Program, steps: tuple[Step, ...]) -> Iterator[Wait]:
    """All blocking reads of queues and pipes, and waits for events, in order."""
    polls = [
        (program.values.origin(step.node.func.value, step.frame), program.file.text(step.node.func.value))
        for step in steps
        if isinstance(step.node, ast.Call)
        and isinstance(step.node.func, ast.Attribute)
        and step.node.func.attr == "poll"
    ]
    for one in taken(program, steps):
        if not _does_not_wait(program, one) and not _is_polled(program, one, polls):
            timeout_s = _timeout(program, one.call, one.step.frame)
            yield Wait(one.step, one.call, one.receiver, timeout_s, one.channel)
    for step in steps:
        match step.node:
            case ast.Call(
                func=ast.Name(id="iter"), args=[ast.Attribute(attr="get" | "recv", value=receiver), _]
            ):
                yield Wait(step, step.node, receiver, None)
            case ast.Call(args=[ready, *_]) if program.file.dotted(step.node.func) == OF_SEVERAL:
                yield Wait(step, step.node, ready, _timeout(program, step.node, step.frame))
            case ast.Call(func=ast.Attribute(attr="wait", value=receiver)):
                made = program.file.dotted(program.values.origin(receiver, step.frame).node)
                if made.endswith(_EVENTS) and not made.startswith(("threading", "asyncio")):
                    yield Wait(step, step.node, receiver, _timeout(program, step.node, step.frame))
            case ast.Call(func=ast.Attribute(attr="poll", value=receiver)) if _given(step.node):
                yield Wait(step, step.node, receiver, _timeout(program, step.node, step.frame))


def _given(call: ast.Call) -> bool:
    return bool(call.args or call.keywords)


def _attr(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _is_polled(program: Program, one: Taken, polls: list[tuple[Value, str]]) -> bool:
    """Whether the pipe's end is polled somewhere, so that what is waited for is known to be there."""
    if not _attr(one.call).startswith("recv"):
        return False
    text = program.file.text(one.receiver)
    return any(is_same(channel, one.channel) or text == spelled for channel, spelled in polls)


def _does_not_wait(program: Program, one: Taken) -> bool:
    if _attr(one.call) == "get_nowait" or _is_known_to_hold(program, one):
        return True
    asked = [k.value for k in one.call.keywords if k.arg == "block"] or one.call.args[:1]
    return bool(asked) and isinstance(asked[0], ast.Constant) and asked[0].value is False


def _is_known_to_hold(program: Program, one: Taken) -> bool:
    """Whether the read stands under a look at whether there is an item."""
    for node in program.file.around(one.call):
        test = (
            getattr(node, "test", None)
            if isinstance(node, ast.If | ast.While | ast.Assert | ast.IfExp)
            else None
        )
        if test is not None and any(
            isinstance(n, ast.Attribute) and n.attr in _PEEKS for n in ast.walk(test)
        ):
            return True
    return False


def _timeout(program: Program, call: ast.Call, frame: Frame) -> float | None:
    named = [k.value for k in call.keywords if k.arg == "timeout"]
    second = _attr(call) == "get" or program.file.dotted(call.func) == OF_SEVERAL
    told = named or (call.args[1:2] if second else call.args[:1])
    if not told:
        return None
    origin = program.values.origin(told[0], frame)
    if isinstance(origin.node, ast.Constant) and isinstance(origin.node.value, float):
        return origin.node.value
    whole = number(program.values, told[0], frame)
    return None if whole is None else float(whole)


def is_look(program: Program, node: ast.AST, frame: Frame, others: frozenset[ast.AST]) -> bool:
    """Whether it asks if processes still run, or lets a spawn's own join raise for one that does not.

    `others` are the calls that make processes which are not meant.
    """
    match node:
        case ast.Attribute(attr=attr, value=owner) if attr in _LOOKS:
            return program.values.origin(owner, frame).node not in others
        case ast.Call(func=ast.Attribute(attr="join", value=owner)):
            made = program.file.dotted(program.values.origin(owner, frame).node)
            return made.endswith(("multiprocessing.spawn()", "start_processes()"))
    return False


def looks_in(program: Program, node: ast.AST, frame: Frame, others: frozenset[ast.AST]) -> bool:
    return any(is_look(program, inner, frame, others) for inner in ast.walk(node))
