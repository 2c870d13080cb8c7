"""Dumps of torch's Flight Recorder, which also sees what DTensor, FSDP2, DDP and functional collectives send.

A line of `<pid>.flight` for each dump: `{"t", "wall", "life", "why", "groups", "trace"}`, where `trace` is
what torch gave. All of it is private to torch and may be gone or changed: what fails here is only noted.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import sys
import time
from types import ModuleType
from typing import Any, Callable, Dict, Optional

from . import calls, journal, sites, torch_groups

SUFFIX = ".flight"
ASKED, DESTROYED, EXITING = "asked", "destroyed", "exiting"
MOST_BYTES = 16 * 1024 * 1024  # of all dumps of a process
_PLAIN = ("_dump_fr_trace_json", "_dump_nccl_trace_json")  # the second until 2.6, and of NCCL only
_WITH_STACKS = ("_dump_fr_trace", "_dump_nccl_trace")
_KEPT = (
    "record_id", "process_group", "collective_seq_id", "p2p_seq_id", "is_p2p", "profiling_name",
    "time_created_ns", "time_discovered_completed_ns", "input_sizes", "input_dtypes", "retired",
    "state", "thread_name",
)  # fmt: skip


class _Dumps:
    written = 0
    was_asked = False
    registered_for = 0  # the pid
    last_life = 0  # whose end is dumped already


def forget() -> None:
    """In a fork child, which has a file of its own."""
    _Dumps.written, _Dumps.was_asked, _Dumps.last_life = 0, False, 0


def dump_asked() -> None:
    """While the process is stuck: with call sites, since nobody waits for us."""
    _Dumps.was_asked = True
    _write(ASKED, _with_sites())


def dump_last() -> None:
    """As the world is destroyed. Cheap where all is well: what is slow here changes how its processes end."""
    _Dumps.last_life = torch_groups.life()
    is_troubled = _Dumps.was_asked or calls.has_failed() or sys.exc_info()[1] is not None
    _write(DESTROYED, _with_sites() if is_troubled else _plain())


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
            _write(EXITING, _with_sites() if calls.has_failed() else _plain())
        except Exception as error:  # noqa: BLE001 -- the process leaves as it would have
            journal.trouble("flight", error)


def _write(why: str, trace: Optional[bytes]) -> None:
    if trace is None:
        return
    head = {
        "t": time.monotonic_ns(),
        "wall": time.time_ns(),
        "life": torch_groups.life(),
        "why": why,
        "groups": {name: known.label for name, known in torch_groups.by_torch_name().items()},
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
