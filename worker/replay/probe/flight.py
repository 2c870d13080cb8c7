"""Dumps of torch's Flight Recorder, which also sees what DTensor, FSDP2, DDP and functional collectives send.

A line of `<pid>.flight` for each dump: `{"t", "wall", "life", "why", "groups", "sites", "trace"}`, where
`trace` is what torch gave. All of it is private to torch and may change: what fails here is only noted.

The plain dump takes 0.1 ms for a few entries. The one with stacks takes 0.9 s of CPU at its first use in a
process (torch reads its own unwind tables), so it is made only of a process that is stuck for good.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import sys
import threading
import time
from types import FrameType, ModuleType
from typing import Any, Callable, Dict, Optional

from . import journal, sites, torch_groups

SUFFIX = ".flight"
ASKED, DESTROYED, EXITING = "asked", "destroyed", "exiting"
MOST_BYTES = 16 * 1024 * 1024  # of all dumps of a process
_PLAIN = ("_dump_fr_trace_json", "_dump_nccl_trace_json")  # the second until 2.6, and of NCCL only
_WITH_STACKS = ("_dump_fr_trace", "_dump_nccl_trace")
_KEPT = (
    "record_id", "process_group", "collective_seq_id", "p2p_seq_id", "is_p2p", "profiling_name",
    "time_created_ns", "time_discovered_completed_ns", "input_sizes", "input_dtypes", "retired",
    "state", "thread_id",
)  # fmt: skip


class _Dumps:
    written = 0
    asked = 0
    registered_for = 0  # the pid
    last_life = 0  # whose end is dumped already


def forget() -> None:
    """In a fork child, which has a file of its own."""
    _Dumps.written, _Dumps.asked, _Dumps.last_life = 0, 0, 0


def dump_asked() -> None:
    """While the process is stuck. Who is asked again and is in a collective still tells all call sites."""
    _Dumps.asked += 1
    trace = _plain()
    if _Dumps.asked > 1 and trace is not None and b'"retired":false' in trace:
        trace = _with_sites() or trace
    _write(ASKED, trace, _current_sites())


def dump_last() -> None:
    """As the world is destroyed: the last moment at which its groups are known by name."""
    _Dumps.last_life = torch_groups.life()
    _write(DESTROYED, _plain())


def at_exit() -> None:
    """Has a world that nobody destroys dumped when the process returns; registered once, at init."""
    if _Dumps.registered_for == os.getpid():
        return
    _Dumps.registered_for = os.getpid()
    atexit.register(_dump_exiting)
    util = sys.modules.get("multiprocessing.util")
    if util is not None:  # its fork children leave by os._exit
        util.Finalize(None, _dump_exiting, exitpriority=-100)


def _dump_exiting() -> None:
    if _Dumps.last_life != torch_groups.life() and torch_groups.is_alive():
        _Dumps.last_life = torch_groups.life()
        try:
            _write(EXITING, _plain())
        except Exception as error:  # noqa: BLE001 -- the process leaves as it would have
            journal.trouble("flight", error)


def _write(why: str, trace: Optional[bytes], found: Optional[Dict[str, sites.Site]] = None) -> None:
    if trace is None:
        return
    head = {
        "t": time.monotonic_ns(),
        "wall": time.time_ns(),
        "life": torch_groups.life(),
        "why": why,
        "groups": torch_groups.by_torch_name(),
        "sites": found or {},
    }
    line = json.dumps(head)[:-1].encode("ascii") + b', "trace": ' + trace.replace(b"\n", b" ") + b"}\n"
    if _Dumps.written + len(line) > MOST_BYTES:
        return
    _Dumps.written += len(line)
    opened = journal.open_file(SUFFIX)
    if opened >= 0:
        try:
            os.write(opened, line)
        finally:
            os.close(opened)


def _plain() -> Optional[bytes]:
    dump = _found(_PLAIN)
    if dump is None:
        return _with_sites()
    trace = dump(True)  # noqa: FBT003 -- its names differ between versions
    return trace if isinstance(trace, bytes) else str(trace).encode("utf-8", "replace")


def _current_sites() -> Dict[str, sites.Site]:
    """Where in the project each thread is now, by its number as torch has it; the main one also as `main`."""
    found: Dict[str, sites.Site] = {}
    for ident, held in sys._current_frames().items():  # noqa: SLF001 -- the documented way
        frame: Optional[FrameType] = held
        while frame is not None and not sites.is_project(frame.f_code):
            frame = frame.f_back
        if frame is not None:
            found[str(ident)] = sites.described(frame.f_code, frame.f_lineno or frame.f_code.co_firstlineno)
            if ident == threading.main_thread().ident:
                found["main"] = found[str(ident)]
    return found


def _with_sites() -> Optional[bytes]:
    dump = _found(_WITH_STACKS)
    if dump is None:
        return None
    trace: Dict[str, Any] = pickle.loads(dump())  # noqa: S301 -- torch's own bytes, made this moment
    entries = [_entry(one) for one in trace.get("entries", ())]
    return json.dumps({"entries": entries, "pg_status": trace.get("pg_status")}, default=str).encode("ascii")


def _entry(entry: Dict[str, Any]) -> Dict[str, Any]:
    kept = {name: entry.get(name) for name in _KEPT}
    frames = (
        sites.located(str(one.get("filename")), int(one.get("line") or 0), str(one.get("name")))
        for one in entry.get("frames") or ()  # innermost first
    )
    kept["site"] = next((frame for frame in frames if frame[4]), None)
    return kept


def _found(names: "tuple[str, ...]") -> Optional[Callable[..., Any]]:
    torch: Optional[ModuleType] = sys.modules.get("torch._C._distributed_c10d")
    for name in names:
        found: Optional[Callable[..., Any]] = getattr(torch, name, None)
        if found is not None:
            return found
    return None
