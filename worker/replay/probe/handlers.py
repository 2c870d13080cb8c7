"""Meets exceptions that the suspect swallows: a handler at work is a candidate, evidence only in comparison.

From Python 3.12 on `sys.monitoring` tells of every handler in a file of the project, at no cost to calls.
Before that only handlers that wait are met, where they do: in `time.sleep`, `Event.wait` and `Process.join`,
in a collective, or when the process is asked. No thread watches: one alive at exit hid a crash at exit.
"""

from __future__ import annotations

import sys
import time

from . import exceptions, forks, imports, sites, wrapping

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

_TOOLS = (4, 3)  # the two numbers that belong to no known kind of tool
_MOST_OF_A_KIND = 3  # of one handler and type: a loop over a cache raises KeyError for ever

_times: dict[tuple[CodeType, int, type], int] = {}


def begin() -> None:
    forks.after(_times.clear)
    if not _monitor():
        wrapping.around(time, "sleep", around_waiting)
        imports.after("threading", lambda module: _watch(module.Event, "wait"))
        imports.after("multiprocessing.process", lambda module: _watch(module.BaseProcess, "join"))


def look() -> None:
    """At the beginning of anything that waits: what is the calling code handling meanwhile?"""
    error = sys.exc_info()[1]
    if error is not None:
        exceptions.note(error, exceptions.HANDLED)


def around_waiting(original: wrapping.Function) -> wrapping.Function:
    def wait(*args: Any, **named: Any) -> Any:  # noqa: ANN401 -- as the function
        __tracebackhide__ = True
        if sys.exc_info()[1] is not None:
            look()
        return original(*args, **named)

    return wait


def _watch(owner: Any, name: str) -> None:  # noqa: ANN401 -- a class
    wrapping.around(owner, name, around_waiting)


def _monitor() -> bool:
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is None:
        return False
    for tool in _TOOLS:
        if monitoring.get_tool(tool) is None:
            monitoring.use_tool_id(tool, "flake-triage")
            event = monitoring.events.EXCEPTION_HANDLED
            monitoring.register_callback(tool, event, _handled)
            monitoring.set_events(tool, event)
            return True
    return False


def _handled(code: CodeType, offset: int, error: BaseException) -> None:
    if not sites.is_project(code):
        return
    key = (code, offset, type(error))
    count = _times.get(key, 0)
    if count < _MOST_OF_A_KIND:
        _times[key] = count + 1
        exceptions.note(error, exceptions.HANDLED)
