"""Which functions of a file run as ranks in other processes, and which calls start them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import takewhile

from app.domain.lint.frames import Callee, Frame, Value
from app.domain.lint.ranks import RANK_NAMES, element_count, is_index_name, number
from app.domain.lint.source import Function, SourceFile, own_nodes
from app.domain.lint.steps import Step
from app.domain.lint.values import Values

_NPROCS_AT = 2  # spawn(fn, args, nprocs)
_SPAWNS = {"spawn", "start_processes"}
_POOL_WORK = {
    "submit",
    "apply",
    "apply_async",
    "map",
    "map_async",
    "starmap",
    "starmap_async",
    "imap",
    "imap_unordered",
}
_LAUNCHERS = (
    "torchrun",
    "torch.distributed.run",
    "torch.distributed.launch",
    "accelerate",
    "deepspeed",
    "mpirun",
    "mpiexec",
)
_OF_RANKS = ("rank", "world_size", "master_addr", "nproc", "torch.distributed")
_PROGRAM_CALLS = {
    "subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.getstatusoutput",
}  # fmt: skip


class How(StrEnum):
    """The means by which ranks are started; it decides who sees what they raise."""

    PROCESS = "process"  # a Process of any context: only an exit code comes back
    SPAWN = "spawn"  # torch's spawn and start_processes: the first exception is raised in the parent
    POOL = "pool"  # a pool's or an executor's call: the exception comes back with the result
    PROGRAM = "program"  # another interpreter, by subprocess or torchrun
    CASE = "case"  # a base class that runs every test once per rank
    SCRIPT = "script"  # the file itself, run under a launcher
    UNKNOWN = "unknown"  # handed to something that the file does not show


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """One call that starts processes. `count` is how many in all at this place, None if it is not told.

    `several` holds where there are, or may well be, two or more. `callees` is empty where the file does not
    show what runs. `step` is None where no call of the file starts them.
    """

    how: How
    step: Step | None
    callees: tuple[Callee, ...]
    count: int | None
    several: bool


@dataclass(frozen=True, slots=True, eq=False)
class Worker:
    """A function that a rank's process begins with; `frame.ranks` are the parameters that hold the rank."""

    function: Function
    frame: Frame
    start: Start


def starts_in(
    file: SourceFile, values: Values, steps: tuple[Step, ...]
) -> Iterator[tuple[Start, tuple[Worker, ...]]]:
    """Every start of processes among the steps, with the functions of the file that then run."""
    for step in steps:
        if isinstance(step.node, ast.Call):
            how = how_started(file, values, step)
            if how is not None:
                yield _started(file, values, step, step.node, how)


def how_started(file: SourceFile, values: Values, step: Step) -> How | None:  # noqa: PLR0911 - a kind each
    """Whether a call starts processes that run code of its argument."""
    call = step.node
    assert isinstance(call, ast.Call)
    dotted = file.dotted(call.func)
    front, _, last = dotted.rpartition(".")
    if dotted in _PROGRAM_CALLS:
        return How.PROGRAM if runs_ranks(file, values, call, step) else None
    if last == "Process" and "psutil" not in front and _target(call) is not None:
        return How.PROCESS
    if isinstance(call.func, ast.Name) and _is_process_class(file, call.func.id):
        return How.PROCESS
    if last in _SPAWNS and "multiprocessing" in front:
        return How.SPAWN
    if last in _POOL_WORK and _is_pool(file, values, call, step.frame):
        return How.POOL
    if dotted.endswith("elastic_launch()") or last == "notebook_launcher":
        return How.SPAWN
    return None


def _target(call: ast.Call) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == "target":
            return keyword.value
    return call.args[1] if len(call.args) > 1 else None


def _is_process_class(file: SourceFile, name: str) -> bool:
    owner = file.class_named(name)
    return owner is not None and any(
        base.rpartition(".")[2].endswith("Process") and "." in base for base in file.base_names(owner)
    )


def _is_pool(file: SourceFile, values: Values, call: ast.Call, frame: Frame) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return False
    made = values.origin(call.func.value, frame)
    return file.dotted(made.node).rpartition(".")[2] in {"Pool()", "ProcessPoolExecutor()"}


def runs_ranks(file: SourceFile, values: Values, call: ast.Call, step: Step) -> bool:
    """Whether a subprocess is a program of ranks: a launcher, or a script that is told or knows of ranks."""
    text = _command_text(file, values, call, step.frame)
    if any(launcher in text for launcher in _LAUNCHERS):
        return True
    if not _is_python(text):
        return False
    if file.dotted(call.func) == "subprocess.Popen" and _is_started_again(file, call, step.frame):
        return True  # the same program several times beside itself
    words = {text, *_words_of(step.frame.function)}
    return any(mark in word.lower() for word in words for mark in _OF_RANKS) or _holds_rank_program(file)


def runs_python(file: SourceFile, values: Values, call: ast.Call, frame: Frame) -> bool:
    """Whether a call runs a program of Python and comes back with its exit code, of ranks or not."""
    return file.dotted(call.func) in _PROGRAM_CALLS and _is_python(_command_text(file, values, call, frame))


def _is_python(text: str) -> bool:
    return "sys.executable" in text or "python" in text or any(launcher in text for launcher in _LAUNCHERS)


def _is_started_again(file: SourceFile, call: ast.Call, frame: Frame) -> bool:
    loops = ast.For | ast.ListComp | ast.GeneratorExp | ast.DictComp
    inside = takewhile(lambda node: node is not frame.function.node, file.around(call))
    return any(isinstance(node, loops) for node in inside)


def _words_of(function: Function) -> Iterator[str]:
    """The texts, keywords and names in a function, as far as they can tell that it starts a rank."""
    for node in own_nodes(function):
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.keyword(arg=str(name)) | ast.Name(id=name):
                yield name


def _holds_rank_program(file: SourceFile) -> bool:
    """Whether a text in the file is the source of a program that joins a group."""
    return any(
        isinstance(node, ast.Constant) and isinstance(node.value, str) and "init_process_group" in node.value
        for node in ast.walk(file.tree)
    )


def _command_text(file: SourceFile, values: Values, call: ast.Call, frame: Frame) -> str:
    command = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "args"), None)
    if command is None:
        return ""
    whole = values.origin(command, frame)
    parts = [values.origin(part.node, part.frame).node for part in values.elements(whole)]
    if not parts:
        parts = [n for n in ast.walk(whole.node) if isinstance(n, ast.Constant | ast.Attribute)]
    return " ".join(
        repr(p.value) if isinstance(p, ast.Constant) else file.dotted(p) or file.text(p) for p in parts
    )


def _started(
    file: SourceFile, values: Values, step: Step, call: ast.Call, how: How
) -> tuple[Start, tuple[Worker, ...]]:
    callees = _callees(file, values, step, call, how)
    count, several = _count(values, step, call, how)
    start = Start(how, step, callees, count, several)
    return start, tuple(_worker(values, start, callee, call) for callee in callees)


def _callees(file: SourceFile, values: Values, step: Step, call: ast.Call, how: How) -> tuple[Callee, ...]:
    if how is How.PROGRAM:
        return ()
    if isinstance(call.func, ast.Name) and _is_process_class(file, call.func.id):
        owner = file.class_named(call.func.id)
        run = file.method(owner, "run") if owner is not None else None
        return (Callee(run, values.module),) if run is not None else ()
    handed = _target(call) if how is How.PROCESS else _first(call)
    return values.callees(handed, step.frame) if handed is not None else ()


def _first(call: ast.Call) -> ast.expr | None:
    named = (k.value for k in call.keywords if k.arg in {"fn", "func", "function", "entrypoint"})
    return call.args[0] if call.args else next(named, None)


def _count(values: Values, step: Step, call: ast.Call, how: How) -> tuple[int | None, bool]:
    if how is How.SPAWN:
        told = next(
            (k.value for k in call.keywords if k.arg == "nprocs"),
            call.args[_NPROCS_AT] if len(call.args) > _NPROCS_AT else None,
        )
        count = number(values, told, step.frame) if told is not None else None
        return count, count != 1
    count = 1
    for loop in step.loops():
        times = repetitions(values, loop.node, loop.frame)
        if times is None:
            return None, True
        count *= times
    if how is How.PROGRAM:
        return (None, True) if count == 1 else (count, True)
    return count, count > 1


def repetitions(values: Values, loop: ast.AST, frame: Frame) -> int | None:
    """How often the body of a loop or comprehension runs; None where it is not told."""
    match loop:
        case ast.For(iter=over) | ast.AsyncFor(iter=over):
            return element_count(values, over, frame)
        case (
            ast.ListComp(generators=[one])
            | ast.GeneratorExp(generators=[one])
            | ast.SetComp(generators=[one])
        ):
            return None if one.ifs else element_count(values, one.iter, frame)
        case ast.DictComp(generators=[one]):
            return None if one.ifs else element_count(values, one.iter, frame)
    return None


def _worker(values: Values, start: Start, callee: Callee, call: ast.Call) -> Worker:
    assert start.step is not None
    positional, named = _arguments(values, start, call)
    function = callee.function
    if start.how is How.SPAWN:
        index = Value(ast.Name(id="rank", ctx=ast.Load()), values.module)
        positional = (index, *positional)
    frame = callee.called_with(positional, named)
    if function.name == "run" and function.owner is not None:
        frame = Frame(function, {}, values.module, made=Value(call, start.step.frame))
    ranks = frozenset(name for name in function.parameters if _holds_rank(values, name, frame, start))
    return Worker(function, replace(frame, ranks=ranks), start)


def _arguments(values: Values, start: Start, call: ast.Call) -> tuple[tuple[Value, ...], dict[str, Value]]:
    """What the started function is given: `args=` and `kwargs=`, or what follows the function."""
    assert start.step is not None
    frame = start.step.frame
    if start.how is How.POOL:
        return tuple(Value(a, frame) for a in call.args[1:]), {}
    place = 1 if start.how is How.SPAWN else 3
    args = next(
        (k.value for k in call.keywords if k.arg == "args"),
        call.args[place] if len(call.args) > place else None,
    )
    kwargs = next((k.value for k in call.keywords if k.arg == "kwargs"), None)
    given = values.elements(values.origin(args, frame)) if args is not None else ()
    return given, _named(values.origin(kwargs, frame)) if kwargs is not None else {}


def _named(held: Value) -> dict[str, Value]:
    """The entries of a dictionary that is written down, as `{"rank": rank}` or `dict(rank=rank)`."""
    match held.node:
        case ast.Dict(keys=keys, values=entries):
            pairs = [
                (key.value, entry)
                for key, entry in zip(keys, entries, strict=True)
                if isinstance(key, ast.Constant)
            ]
            return {str(name): Value(entry, held.frame) for name, entry in pairs}
        case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
            return {k.arg: Value(k.value, held.frame) for k in keywords if k.arg is not None}
    return {}


def _holds_rank(values: Values, name: str, frame: Frame, start: Start) -> bool:
    if name in RANK_NAMES:
        return True
    held = frame.given.get(name)
    if held is None or not isinstance(held.node, ast.Name):
        return False
    if held.node.id in RANK_NAMES and held.frame is values.module and start.how is How.SPAWN:
        return True
    assert start.step is not None
    return held.node.id in RANK_NAMES or (
        is_index_name(held.node.id) and any(_counts_with(w.node, held.node.id) for w in start.step.loops())
    )


def _counts_with(loop: ast.AST, name: str) -> bool:
    targets = (
        [loop.target] if isinstance(loop, ast.For) else [g.target for g in getattr(loop, "generators", ())]
    )
    return any(
        isinstance(node, ast.Name) and node.id == name for target in targets for node in ast.walk(target)
    )
