"""Notes who waits long for a lock of the project's own, and which thread holds it.

Only locks that a file of the project makes by `threading.Lock` and `RLock` are watched; they behave, compare
and pickle as before. A wait is noted once, after a while: what is let go soon is no deadlock.
"""

from __future__ import annotations

from _thread import get_ident

from . import imports, journal, sites, wrapping

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from typing import Any

_PATIENCE_S = 0.2
_FOR_EVER = -1
_NOBODY = 0


def begin() -> None:
    imports.after("threading", _watch)


def _watch(threading: Any) -> None:  # noqa: ANN401 -- the module
    for name in ("Lock", "RLock"):
        original = getattr(threading, name)
        if isinstance(original, type):
            setattr(threading, name, _class_like(original))
        else:
            wrapping.around(threading, name, _around_factory)


def _around_factory(original: wrapping.Function) -> wrapping.Function:
    def make_lock(*args: Any, **named: Any) -> Any:  # noqa: ANN401 -- as the factory
        return _watched(original(*args, **named))

    return make_lock


def _class_like(original: type) -> type:
    """From Python 3.13 on `threading.Lock` is a class, which people put in annotations and `isinstance`."""

    class Meta(type):
        def __call__(cls, *args: Any, **named: Any) -> Any:  # noqa: ANN401 -- as the class
            return _watched(original(*args, **named))

        def __instancecheck__(cls, one: object) -> bool:
            return isinstance(one, original)

        def __subclasscheck__(cls, one: type) -> bool:
            return issubclass(one, (original, Watched))

    return Meta(original.__name__, (), {"__module__": original.__module__, "__doc__": original.__doc__})


def _owner_said(lock: object) -> int:
    """An RLock's repr names its owner, also where a Condition took it behind our back; a Lock's does not."""
    _, _, said = repr(lock).partition(" owner=")
    owner = said.split(" ", 1)[0]
    return int(owner) if owner.isdecimal() else _NOBODY


def _watched(lock: Any) -> Any:  # noqa: ANN401 -- a lock of either kind
    """As it is where not the project's own code made it."""
    return Watched(lock) if sites.is_caller_project(3) else lock


class Watched:
    """A lock that knows which thread holds it; of an RLock its own repr knows."""

    __slots__ = ("__weakref__", "_holder", "_lock")

    def __init__(self, lock: Any) -> None:  # noqa: ANN401 -- a lock of either kind
        self._lock, self._holder = lock, _NOBODY

    @property  # type: ignore[misc]  # read only: nobody assigns it
    def __class__(self) -> Any:  # noqa: ANN401 -- `isinstance` sees the lock's own type
        return type(self._lock)

    def acquire(self, blocking: bool = True, timeout: float = _FOR_EVER) -> bool:  # noqa: FBT001, FBT002 -- the lock's own
        """As the lock's own; a wait beyond a moment is told before it goes on."""
        __tracebackhide__ = True
        lock = self._lock
        if not blocking or (timeout != _FOR_EVER and timeout <= _PATIENCE_S):
            got = lock.acquire(blocking, timeout)
        else:
            got = lock.acquire(False) or lock.acquire(True, _PATIENCE_S)  # noqa: FBT003 -- the lock's own
            if not got:
                self._note_wait()
                left = _FOR_EVER if timeout == _FOR_EVER else timeout - _PATIENCE_S
                got = lock.acquire(True, left)  # noqa: FBT003 -- as above
        if got:
            self._holder = get_ident()
        return bool(got)

    __enter__ = acquire

    def release(self) -> None:
        __tracebackhide__ = True
        self._holder = _NOBODY
        self._lock.release()

    def __exit__(self, *_: object) -> None:
        __tracebackhide__ = True
        self._holder = _NOBODY
        self._lock.release()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- as the lock has it
        return getattr(self._lock, name)

    def __repr__(self) -> str:
        return repr(self._lock)

    def __reduce_ex__(self, protocol: Any) -> Any:  # noqa: ANN401 -- raises what pickling the lock itself raises
        return self._lock.__reduce_ex__(protocol)

    @wrapping.quietly
    def _note_wait(self) -> None:
        holder = _owner_said(self._lock) or self._holder
        name = None if holder == _NOBODY else journal.thread_name(holder)
        journal.note("lock", lock=id(self._lock), holder=name, site=sites.call_site())
