"""When the wait for an asynchronous collective began and ended, without keeping its work object alive.

Gloo's threads and the interpreter race for the last reference of a work object when a process exits (suspects
abort there), so nothing here owns one: a weak reference leads from a work to its record, and dies with it.
"""

from __future__ import annotations

import time
import weakref
from types import ModuleType
from typing import Any, Dict

from . import calls, wrapping

_now = time.monotonic_ns


class _Pending(weakref.ref):  # type: ignore[type-arg]  # not generic at run time before 3.9
    __slots__ = ("key", "place")
    key: int
    place: int


_pending: Dict[int, _Pending] = {}


def begin(c10d: ModuleType) -> None:
    work = getattr(c10d, "Work", None)
    if work is not None:
        wrapping.around(work, "wait", _recorded_wait)


def forget() -> None:
    """In a fork child, and when the world is destroyed."""
    _pending.clear()


def watch(result: Any, place: int) -> None:  # noqa: ANN401 -- whatever a collective gave back
    """Have the later `wait()` of what a call returned, a work or a list of them, end up in its record."""
    for work in result if type(result) is list else (result,):
        if (
            hasattr(type(work), "wait") and type(work).__name__ != "_IllegalWork"
        ):  # that one answers to nothing
            pending = _Pending(work, _gone)
            pending.key, pending.place = id(work), place
            _pending[pending.key] = pending


def _gone(pending: _Pending, known: Dict[int, _Pending] = _pending) -> None:
    """Bound to what it needs: it may run while the interpreter takes modules apart."""
    if known.get(pending.key) is pending:
        del known[pending.key]


def _recorded_wait(original: wrapping.Function) -> wrapping.Function:
    def wait(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 -- torch's own
        __tracebackhide__ = True
        pending = _pending.get(id(self))
        if pending is None:
            return original(self, *args, **kwargs)
        record = calls.current()
        place = pending.place
        if record is None:
            return original(self, *args, **kwargs)
        record.wait(place, _now())
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            calls.failed(place, error)
            raise
        record.leave(place, _now())
        _pending.pop(id(self), None)
        return result

    return wait
