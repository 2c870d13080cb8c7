"""Stacks as faulthandler writes them: of a process that died, or was asked, once or often, in one file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from worker.replay.facts import Frame, Stack
from worker.replay.reading.project_files import relative

MOST_BYTES = 8 * 1024 * 1024
_MOST_DUMPS = 200
_MOST_FRAMES = 120
_PROBE = "/flake_triage_probe/"

_THREAD = re.compile(
    r"(Current thread|Thread) 0x([0-9a-f]{1,16})(?: \[([^\]\n]{0,64})\])? \(most recent call first\):"
)
_FRAME = re.compile(r'  File "([^"\n]{1,1000})", line (\d{1,9}) in ([^\n]{1,300})')
_FATAL = re.compile(r"Fatal Python error: ([^\n]{1,200})")


@dataclass(slots=True)
class _Thread:
    ident: int
    is_current: bool
    name: str | None
    frames: list[Frame] = field(default_factory=list)
    is_probe: bool = False


@dataclass(slots=True)
class _Dump:
    at: int  # where in the file it begins
    fatal: str | None = None
    threads: list[_Thread] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Told:
    """What the reader knows beside the file itself."""

    pid: int
    project: str
    main: int | None  # the main thread's number
    last_at: int  # when the file was last written, in our clock
    asked: Sequence[tuple[int, int, int]] = ()  # from, to, and when: dumps that a sender waited for
    sources: Mapping[tuple[str, int], str] = field(default_factory=dict)


def read_stacks(content: bytes, told: Told) -> tuple[Stack, ...]:
    """Each thread of each dump, innermost frame first, threads of the probe left out.

    faulthandler writes no time: a dump's is that of the sender who waited for it, else of the last write.
    """
    stacks = []
    for dump in _dumps(content[:MOST_BYTES].decode("utf-8", "replace"), told):
        asked = next((t for begin, end, t in told.asked if begin <= dump.at < end), None)
        reason = "fatal" if dump.fatal else "terminate" if asked is not None else "asked"
        for thread in dump.threads:
            if thread.is_probe and not thread.frames:
                continue
            stacks.append(
                Stack(
                    t=told.last_at if asked is None else asked,
                    pid=told.pid,
                    thread=_name(thread, told.main),
                    frames=tuple(thread.frames),
                    is_current=_is_current(thread, dump, told.main),
                    reason=reason,
                    fatal=dump.fatal,
                )
            )
    return tuple(stacks)


def _dumps(text: str, told: Told) -> list[_Dump]:
    """A new one begins at a fatal error, or where a thread comes that the last one has already."""
    dumps: list[_Dump] = []
    thread: _Thread | None = None
    at = 0
    for line in text.split("\n"):
        if fatal := _FATAL.match(line):
            dumps.append(_Dump(at, fatal[1]))
            thread = None
        elif head := _THREAD.match(line):
            thread = _Thread(int(head[2], 16), head[1] == "Current thread", head[3])
            if not dumps or any(one.ident == thread.ident for one in dumps[-1].threads):
                dumps.append(_Dump(at))
            dumps[-1].threads.append(thread)
        elif thread is not None and (found := _FRAME.match(line)) and len(thread.frames) < _MOST_FRAMES:
            _add(thread, found, told)
        at += len(line.encode()) + 1
        if len(dumps) > _MOST_DUMPS:
            break
    return dumps


def _add(thread: _Thread, found: re.Match[str], told: Told) -> None:
    file, line = found[1], int(found[2])
    if _PROBE in file:
        thread.is_probe = True
        return
    inside = relative(file, told.project)
    name = inside or file
    thread.frames.append(
        Frame(name, line, found[3].strip(), told.sources.get((name, line)), in_project=inside is not None)
    )


def _name(thread: _Thread, main: int | None) -> str:
    return "MainThread" if thread.ident == main else thread.name or f"thread-{thread.ident}"


def _is_current(thread: _Thread, dump: _Dump, main: int | None) -> bool:
    """The thread that died; of a dump that was asked for the main one: any thread may take the signal."""
    if dump.fatal or not any(one.ident == main for one in dump.threads):
        return thread.is_current
    return thread.ident == main
