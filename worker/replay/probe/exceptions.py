"""Notes an exception with its chain and frames, the first time that it is met in each way.

Ways, weakest first: `handled` (a handler was seen at work), `reported` (it was being formatted, sent or
cleaned up after), `test` (pytest's own report), `uncaught` (it left a worker, a thread or the interpreter).
"""

from __future__ import annotations

import sys

from . import imports, journal, sites, wrapping

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType, TracebackType
    from typing import Any

HANDLED, REPORTED, TEST, UNCAUGHT = "handled", "reported", "test", "uncaught"

MOST_EVENTS = 2000  # of one process
MOST_MESSAGE = 2000  # characters
MOST_FRAMES = 40  # of one exception: the outermost few and the innermost rest
_OUTERMOST = 8
_DEEPEST = 6  # exceptions behind each other
_FLOW = (StopIteration, StopAsyncIteration, GeneratorExit)

_PRINTING = 4  # frames of `traceback` at most between who prints and the text

_met: set[tuple[int, str]] = set()
_last_words: list[Callable[[BaseException], None]] = []
_count_by_group: list[Callable[[], Mapping[str, int]]] = []


def counting(counters: Callable[[], Mapping[str, int]]) -> None:
    """Who knows the number of collectives entered by now, per group."""
    _count_by_group[:] = [counters]


def when_printed_by_bootstrap(note_uncaught: Callable[[BaseException], None]) -> None:
    """Who is told of an exception that multiprocessing prints since it ended the worker."""
    _last_words[:] = [note_uncaught]


def forget() -> None:
    """In a fork child: what its parent met is not in its journal."""
    _met.clear()


def identity(error: BaseException) -> int:
    """A number of this exception object, the same whenever it is met; never 0.

    The object must not be held or marked (a mark would be pickled), so the number comes from its address,
    type, message and the place that raised it: two alike at one address, one after the other, share it.
    """
    from zlib import crc32  # noqa: PLC0415 -- dear at start

    innermost = error.__traceback__
    while innermost is not None and innermost.tb_next is not None:
        innermost = innermost.tb_next
    place = (innermost.tb_frame.f_code.co_filename, innermost.tb_lineno) if innermost else ("", 0)
    text = "%s %s %s" % (type(error).__qualname__, message(error), place)
    return ((id(error) & 0xFFFFFFF) << 32 | crc32(text.encode("utf-8", "replace"))) or 1


@wrapping.quietly
def note(error: BaseException | None, seen: str, *, is_on_its_way: bool = False) -> int:
    """Notes it once for each way, and gives its identity; 0 for None and for what only steers a loop.

    One `is_on_its_way` that a wrapper meets has not been through its callers yet: their frames are added.
    """
    if error is None or isinstance(error, _FLOW):
        return 0
    number = identity(error)
    if (number, seen) in _met or len(_met) >= MOST_EVENTS:
        return number
    frames = frames_of(error.__traceback__)
    if is_on_its_way:
        frames = (_callers() + frames)[-MOST_FRAMES:]
    if seen == HANDLED and not any(one[4] for one in frames):
        return number
    _met.add((number, seen))
    links = _links(error, {id(error)}, _DEEPEST)
    code = error.errno if isinstance(error, OSError) and isinstance(error.errno, int) else None
    counters = dict(_count_by_group[0]()) if _count_by_group else {}
    journal.note(
        "raised",
        seen=seen,
        type=type_name(error),
        message=message(error),
        id=number,
        frames=frames,
        counters=counters,
        errno=code,
        **links,
    )
    return number


def look(seen: str = REPORTED) -> None:
    """Notes the exception that the calling code is handling at this moment, if there is one."""
    error = sys.exc_info()[1]
    if error is not None:
        note(error, seen)


def type_name(error: BaseException) -> str:
    """`ValueError`; with its module where that is not builtins."""
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else kind.__module__ + "." + kind.__qualname__


def frames_of(traceback: TracebackType | None) -> list[sites.Site]:
    """Outer to inner, the probe's own left out."""
    raw = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not sites.is_probe(code):
            raw.append((code, traceback.tb_lineno))
        traceback = traceback.tb_next
    if len(raw) > MOST_FRAMES:
        raw = raw[:_OUTERMOST] + raw[_OUTERMOST - MOST_FRAMES :]
    return [sites.described(code, line or code.co_firstlineno) for code, line in raw]


def _callers() -> list[sites.Site]:
    """The project's frames that wait for the call under way, outer to inner."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 -- as in sites
    found: list[sites.Site] = []
    while frame is not None and len(found) < MOST_FRAMES and not sites.begins_process(frame.f_code):
        if sites.is_project(frame.f_code):
            found.append(sites.described(frame.f_code, frame.f_lineno or frame.f_code.co_firstlineno))
        frame = frame.f_back
    return found[::-1]


def begin() -> None:
    """Meets what is formatted, what leaves a thread, and what leaves the interpreter."""
    imports.after("traceback", _watch_formatting)
    imports.after("threading", _watch_threads)
    _watch_interpreter()


def message(error: BaseException) -> str:
    """What it says; empty where its own `__str__` fails."""
    try:
        return str(error)[:MOST_MESSAGE]
    except Exception:  # noqa: BLE001 -- the suspect's own __str__
        return ""


def _links(error: BaseException, known: set[int], left: int) -> dict[str, journal.Value]:
    """Its cause and its context, each with what stood behind it; also a suppressed context."""
    links: dict[str, journal.Value] = {}
    for name, behind in (("cause", error.__cause__), ("context", error.__context__)):
        if behind is None or id(behind) in known or not left:
            continue
        known.add(id(behind))
        links[name] = {
            "type": type_name(behind),
            "message": message(behind),
            "frames": frames_of(behind.__traceback__),
            **_links(behind, known, left - 1),
        }
    if error.__cause__ is not None and error.__cause__ is error.__context__ and "cause" in links:
        links["context"] = links["cause"]
    return links


def _watch_formatting(traceback: Any) -> None:  # noqa: ANN401 -- the module
    def make(original: wrapping.Function) -> wrapping.Function:
        def __init__(self: Any, *args: Any, **named: Any) -> None:  # noqa: ANN401, N807 -- stands for the method
            __tracebackhide__ = True
            if named.get("_seen") is None and len(args) > 1 and isinstance(args[1], BaseException):
                _formatted(args[1])
            original(self, *args, **named)
            _leave_out_ours(self)

        return __init__

    wrapping.around(traceback.TracebackException, "__init__", make)


@wrapping.quietly
def _leave_out_ours(formatted: Any) -> None:  # noqa: ANN401 -- a TracebackException
    """What is formatted reads as without us, so that it can be compared with what CI printed."""
    stack = formatted.stack
    if any(sites.is_probe_file(one.filename) for one in stack):
        stack[:] = [one for one in stack if not sites.is_probe_file(one.filename)]


@wrapping.quietly
def _formatted(error: BaseException) -> None:
    if _is_printed_by_bootstrap() and _last_words:
        _last_words[0](error)
    else:
        note(error, REPORTED)


def _is_printed_by_bootstrap() -> bool:
    """Whether multiprocessing prints what ended a worker, rather than the suspect what it handles."""
    frame: FrameType | None = sys._getframe(3)  # noqa: SLF001 -- as in sites
    for _ in range(_PRINTING):
        if frame is None:
            return False
        if frame.f_code.co_name == "_bootstrap":
            return frame.f_globals.get("__name__") == "multiprocessing.process"
        frame = frame.f_back
    return False


def _watch_threads(threading: Any) -> None:  # noqa: ANN401 -- the module
    """What leaves a thread: pytest replaces `threading.excepthook`, so one step before it."""

    def make(original: wrapping.Function) -> wrapping.Function:
        def _make_invoke_excepthook() -> wrapping.Function:
            invoke: wrapping.Function = original()

            def invoke_excepthook(thread: Any) -> Any:  # noqa: ANN401 -- a thread
                look(UNCAUGHT)
                return invoke(thread)

            return invoke_excepthook

        return _make_invoke_excepthook

    wrapping.around(threading, "_make_invoke_excepthook", make)


def _watch_interpreter() -> None:
    before = sys.excepthook

    def excepthook(kind: Any, error: Any, traceback: Any) -> Any:  # noqa: ANN401 -- as sys has it
        if isinstance(error, BaseException):
            note(error, UNCAUGHT)
        return before(kind, error, traceback)

    sys.excepthook = wrapping.dressed(excepthook, before)
