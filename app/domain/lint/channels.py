"""How processes tell each other things: queues, pipes, shared containers, who writes and who reads them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from app.domain.lint.frames import Frame, Value
from app.domain.lint.program import Program
from app.domain.lint.steps import Part, Step

_QUEUES = ("Queue()", "SimpleQueue()", "JoinableQueue()", "LifoQueue()", "PriorityQueue()")
_SHARED = (".dict()", ".list()", ".Array()", ".Value()", ".RawArray()", ".Namespace()")
_PUTS = {"put", "put_nowait", "send", "send_bytes"}
_ADDS = {"append", "update", "add", "extend", "setdefault", "set_exception", "set_result"}
_GETS = {"get", "get_nowait", "recv", "recv_bytes"}
# They send tensors, requests or bytes of a protocol, not a word to the parent of a test.
_NO_CHANNELS = ("torch.distributed.", "requests.", "httpx.", "socket.", "torch.cuda.", "os.")


class Medium(StrEnum):
    """What carries a report."""

    QUEUE = "queue"  # taken out once: an item that nobody takes is lost
    SHARED = "shared"  # looked at as often as one likes
    FILE = "file"
    ANSWER = "answer"  # what a function returns, where a pool brings it back


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """A step that hands something to another process; `channel` is where the queue or container is made."""

    step: Step
    medium: Medium
    channel: Value
    receiver: ast.expr
    content: tuple[ast.expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """A call that takes one item out of a queue or pipe, and waits for it where `waits`."""

    step: Step
    call: ast.Call
    channel: Value
    receiver: ast.expr


def told(program: Program, steps: tuple[Step, ...]) -> Iterator[Told]:
    """What a process tells others in these steps, in order."""
    for step in steps:
        found = _told(program, step)
        if found is not None:
            yield found


def _told(program: Program, step: Step) -> Told | None:
    match step.node:
        case ast.Call(func=ast.Attribute(value=receiver, attr=attr), args=[_, *_] as content):
            if attr in _PUTS and not _is_no_channel(program, step.node):
                return _by(program, step, Medium.QUEUE, receiver, content)
            if attr in _ADDS and is_shared(program, receiver, step.frame):
                return _by(program, step, Medium.SHARED, receiver, content)
            return _written(program, step, step.node)
        case ast.Assign(
            targets=[ast.Subscript(value=receiver) | ast.Attribute(value=receiver, attr="value")],
            value=content,
        ):
            if is_shared(program, receiver, step.frame) or _may_be_shared(program, receiver, step):
                return _by(program, step, Medium.SHARED, receiver, [content])
    return None


def _written(program: Program, step: Step, call: ast.Call) -> Told | None:
    """A file that another process may read. Tensors that are saved are the work itself, no word about it."""
    match call:
        case ast.Call(func=ast.Attribute(value=path, attr="write_text" | "write_bytes"), args=content):
            return _by(program, step, Medium.FILE, path, content)
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="json" | "pickle"), attr="dump"), args=[content, file, *_]
        ):
            return _by(program, step, Medium.FILE, file, [content])
        case ast.Call(func=ast.Attribute(value=ast.Name() as file, attr="write"), args=[content]):
            return _by(program, step, Medium.FILE, file, [content])
    return None


def _by(program: Program, step: Step, medium: Medium, receiver: ast.expr, content: list[ast.expr]) -> Told:
    return Told(step, medium, program.values.origin(receiver, step.frame), receiver, tuple(content))


def _is_no_channel(program: Program, call: ast.Call) -> bool:
    return program.file.dotted(call.func).startswith(_NO_CHANNELS)


def is_shared(program: Program, receiver: ast.expr, frame: Frame) -> bool:
    """Whether it is a manager's container or shared memory."""
    origin = program.values.origin(receiver, frame)
    if isinstance(origin.node, ast.Call):
        return program.file.dotted(origin.node).endswith(_SHARED)
    return False


def _may_be_shared(program: Program, receiver: ast.expr, step: Step) -> bool:
    """Whether an except clause fills what a caller that the file does not show has handed in."""
    origin = program.values.origin(receiver, step.frame)
    handed_in = isinstance(origin.node, ast.Name) and origin.node.id in origin.frame.function.parameters
    return handed_in and any(within.part is Part.HANDLER for within in step.within)


def taken(program: Program, steps: tuple[Step, ...]) -> Iterator[Taken]:
    """The single reads of queues and pipes in these steps, in order."""
    for step in steps:
        match step.node:
            case ast.Call(func=ast.Attribute(value=receiver, attr=attr) as function) if attr in _GETS:
                channel = program.values.origin(receiver, step.frame)
                is_read = (
                    not step.node.args  # a socket is told how much to take
                    if attr.startswith("recv")
                    else _is_queue_get(program, step.node, channel, function)
                )
                if is_read and not _is_no_channel(program, step.node):
                    yield Taken(step, step.node, channel, receiver)


def _is_queue_get(program: Program, call: ast.Call, channel: Value, function: ast.Attribute) -> bool:
    """A queue's `get`, not a dictionary's and not that of a pool's answer."""
    made = program.file.dotted(channel.node)
    if made.endswith(_QUEUES) or function.attr == "get_nowait":
        return True
    if isinstance(channel.node, ast.Call | ast.Dict | ast.DictComp):
        return False
    keys = call.args and not isinstance(call.args[0], ast.Constant)
    words = all(isinstance(a, ast.Constant) and isinstance(a.value, bool | int | float) for a in call.args)
    named = any(k.arg in {"timeout", "block"} for k in call.keywords)
    return not keys and words and (named or not call.args or len(call.args) > 1)


def is_same(one: Value, other: Value) -> bool:
    """Whether two channels are made at the same place; the two ends of one pipe are the same."""
    return one.node is other.node


def is_handed_on(program: Program, steps: tuple[Step, ...], channel: Value, starts: set[ast.AST]) -> bool:
    """Whether the channel is given to something that the file does not show, and that may read it."""
    for step in steps:
        if not isinstance(step.node, ast.Call) or step.node in starts:
            continue
        if _keeps(program, step.node, step.frame):
            continue
        for argument in (*step.node.args, *(k.value for k in step.node.keywords)):
            named = isinstance(argument, ast.Name | ast.Attribute)
            if named and is_same(program.values.origin(argument, step.frame), channel):
                return True
    return False


def _keeps(program: Program, call: ast.Call, frame: Frame) -> bool:
    """Whether the file shows what the call does with it: its own function, or a list that keeps it."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in {"append", "extend", "add", "register"}:
        return True
    name = program.file.dotted(call.func).rpartition(".")[2]
    if name in {
        "Process",
        "print",
        "len",
        "zip",
        "enumerate",
        "iter",
        "list",
        "range",
        "next",
        "id",
        "Thread",
        "dict",
        "tuple",
        "partial",
    }:
        return True
    return bool(program.values.callees(call.func, frame))
