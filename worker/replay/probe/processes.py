"""Who this process is: argv, parent, how it began, its name, and its rank with how that is known."""

from __future__ import annotations

import os
import sys
import time
from _thread import get_ident

from . import exceptions, forks, imports, journal, wrapping

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_MOST_ARGUMENTS = 64
_MOST_ARGUMENT = 1000  # characters

_done: list[int] = []  # this process's id, once its function has ended
_own_rank: dict[int, int] = {}  # by process: a fork child is not its parent's rank
_leaving: list[Callable[[int], int]] = []


def begin() -> None:
    _introduce("exec")
    forks.after(_in_child)
    imports.after("torch.version", _note_torch)
    imports.after("multiprocessing.process", _watch_beginning)
    imports.after("multiprocessing.util", _watch_return)
    exceptions.when_printed_by_bootstrap(_note_uncaught)


def rank_is(rank: int, world: int | None, source: str) -> None:
    """Notes the rank; `source` is `init`, `env`, `thread` or, a hint only, `argument`."""
    _own_rank[os.getpid()] = rank
    journal.note("process", rank=rank, world=world, rank_source=source)


def own_rank() -> int | None:
    """Of this process itself, as it was said last; None in a helper that a rank has started."""
    return _own_rank.get(os.getpid())


def on_leaving(callback: Callable[[int], int]) -> None:
    """Called with a worker's exit code once its function is over; gives the code to report to its parent."""
    _leaving.append(callback)


def _introduce(began: str) -> None:
    fields: dict[str, journal.Value] = {
        "argv": [one[:_MOST_ARGUMENT] for one in _argv()[:_MOST_ARGUMENTS]],
        "parent": os.getppid(),
        "began": began,
        "main": get_ident(),
        "python": "%d.%d.%d" % sys.version_info[:3],
        "wall": time.time_ns() - time.monotonic_ns(),  # what turns a file's time into ours
    }
    rank = _number(os.environ.get("RANK"))
    if rank is not None:
        if began == "exec" and not _is_helper(rank):
            _own_rank[os.getpid()] = rank
        fields.update(rank=rank, world=_number(os.environ.get("WORLD_SIZE")), rank_source="env")
    journal.note("process", **fields)


def _in_child() -> None:
    journal.reopen()
    exceptions.forget()
    _introduce("fork")
    torch = sys.modules.get("torch.version")
    if torch is not None:
        _note_torch(torch)


def _argv() -> list[str]:
    known = getattr(sys, "orig_argv", None)  # from Python 3.10 on
    if known:
        return list(known)
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return os.fsdecode(file.read(65536)).rstrip("\0").split("\0")
    except OSError:
        return []


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 7 else None  # noqa: PLR2004 -- no world is so large


def _is_helper(rank: int) -> bool:
    """Whether it has the variable from a rank that started it."""
    try:
        with open("/proc/%d/environ" % os.getppid(), "rb") as file:
            return b"RANK=%d" % rank in file.read(1 << 20).split(b"\0")
    except OSError:
        return False


def _note_torch(version: Any) -> None:  # noqa: ANN401 -- the module
    journal.note("process", torch=str(getattr(version, "__version__", "")))


def _watch_beginning(process: Any) -> None:  # noqa: ANN401 -- the module
    def make(original: wrapping.Function) -> wrapping.Function:
        def _bootstrap(self: Any, *args: Any, **named: Any) -> Any:  # noqa: ANN401 -- as the method
            __tracebackhide__ = True
            _note_worker(self)
            code = original(self, *args, **named)
            if code == 0:
                _note_done("returned")
            elif isinstance(code, int):
                _note_done("sys.exit", code & 0xFF)
            for callback in _leaving:
                code = callback(code)
            return code

        return _bootstrap

    wrapping.around(process.BaseProcess, "_bootstrap", make)


@wrapping.quietly
def _note_worker(worker: Any) -> None:  # noqa: ANN401 -- a BaseProcess
    fields: dict[str, journal.Value] = {"name": str(worker.name)[:200]}
    rank, world = _rank_among(getattr(worker, "_target", None), getattr(worker, "_args", ()), worker._kwargs)  # noqa: SLF001 -- has no other name
    if rank is not None:
        _own_rank[os.getpid()] = rank
    if rank is not None and os.environ.get("RANK") is None:
        fields.update(rank=rank, world=world, rank_source="argument")
    journal.note("process", **fields)


def _rank_among(target: Any, args: Any, named: Any) -> tuple[int | None, int | None]:  # noqa: ANN401 -- the worker's own
    """The arguments called rank and world_size; of `torch.multiprocessing.spawn` the index it adds."""
    code = getattr(target, "__code__", None)
    if code is None:
        return None, None
    if code.co_name == "_wrap" and len(args) > 1 and type(args[1]) is int:
        return args[1], None
    given = dict(zip(code.co_varnames[: code.co_argcount], args))  # noqa: B905 -- strict= came with 3.10
    given.update(named)
    rank, world = given.get("rank"), given.get("world_size", given.get("world"))
    return (rank if type(rank) is int else None), (world if type(world) is int else None)


def _watch_return(util: Any) -> None:  # noqa: ANN401 -- the module
    """A worker's function has ended where its bootstrap calls this: no frame of ours in between.

    From 3.13 on it is called later; there `_bootstrap` itself tells, and what it prints.
    """

    def make(original: wrapping.Function) -> wrapping.Function:
        def _exit_function(*args: Any, **named: Any) -> Any:  # noqa: ANN401 -- as the function
            if sys._getframe(1).f_code.co_name != "_bootstrap":  # noqa: SLF001 -- as in sites
                return original(*args, **named)
            _note_return()
            return original(*args, **named)

        return _exit_function

    wrapping.around(util, "_exit_function", make)


@wrapping.quietly
def _note_return() -> None:
    error = sys.exc_info()[1]
    if error is None:
        _note_done("returned")
    elif isinstance(error, SystemExit):
        _note_done("sys.exit", exit_code(error.code))
    else:
        _note_uncaught(error)


def _note_uncaught(error: BaseException) -> None:
    exceptions.note(error, exceptions.UNCAUGHT)
    _note_done("uncaught")


def _note_done(ending: str, code: int | None = None) -> None:
    """Once for each process: what comes first is nearest to the truth."""
    pid = os.getpid()
    if pid not in _done:
        _done[:] = [pid]
        journal.note("done", ending=ending, code=code)


def exit_code(said: object) -> int:
    """As the interpreter turns what `sys.exit` was given into a status."""
    if said is None:
        return 0
    return said & 0xFF if isinstance(said, int) else 1
