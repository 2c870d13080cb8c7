"""Carries the asked fault out where a hook of the probe reaches its place, once in a process.

It leaves `<pid>.injected` in the journal's folder first: a fault that was never reached is no good news.
"""

import atexit
import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Optional

from . import exceptions, exits, inject, inject_waits, processes

_kill, _sleep = os.kill, time.sleep  # as they are before the probe wraps them: the fault is ours
_A_WHILE = 3600.0
_RAISED = 1


class _Armed:
    """What `arm` was told. One of a process: forked children inherit it, as they inherit the hooks."""

    fault = None  # type: Optional[inject.Fault]
    journal = ""
    rank = None  # type: Optional[int]


def arm(spec: str, journal: str) -> None:
    """Called once, by the probe, as it enters a process, before its hooks are there."""
    inject_waits.begin(journal)
    if spec == inject.CONTROL:
        return
    _Armed.fault, _Armed.journal = inject.parse(spec), journal
    processes.on_leaving(_leave)
    exits.on_leaving(_leave)
    atexit.register(_leave_program)


def reach(place: str, rank: Optional[int], number: int = 0) -> None:
    """Carry the fault out if it stands here; costs one comparison where none is asked for.

    A rank that is not known any more is the one that the process said last. Raises the fault's exception, or
    does not return.
    """
    fault = _Armed.fault
    if fault is None:
        return
    _Armed.rank = _Armed.rank if rank is None else rank
    if (fault.place, fault.rank, fault.number) != (place, _Armed.rank, number):
        return
    _Armed.fault = None
    _leave_mark(fault)
    if fault.how == inject.RAISE:
        raise inject.made(fault)
    if fault.how == inject.EXIT:
        os._exit(inject.EXIT_CODE)
    if fault.how == inject.KILL:
        _kill(os.getpid(), signal.SIGKILL)
    while True:  # signals end it as they would end any wait
        _sleep(_A_WHILE)


def _leave(code: int) -> int:
    """The exit code to report of a process that would end with `code`; afterwards there is no fault left."""
    try:
        rank = processes.own_rank()
        if code == 0 and rank is not None:
            reach(inject.EXIT, rank)
    except Exception as error:  # noqa: BLE001 -- ours, told as Python tells what nobody caught
        exceptions.note(error, exceptions.UNCAUGHT)
        traceback.print_exc()
        sys.stderr.flush()
        return _RAISED
    finally:
        _Armed.fault = None
    return code


def _leave_program() -> None:
    """The same of a program: its exit code is said already, and only an immediate exit can change it."""
    if not exits.has_failed() and _leave(0) != 0:
        os._exit(_RAISED)


def _leave_mark(fault: inject.Fault) -> None:
    mark = Path(_Armed.journal) / "{}{}".format(os.getpid(), inject.MARK)
    mark.write_text(json.dumps(fault._asdict()), encoding="utf-8")
