"""Notes waits that ran out, where a fault is injected: did the test take its whole timeout to notice?

One JSON line each in `<pid>.expired`: how long the wait was allowed to be, how long it was, and where. Short
waits are those of a loop that polls, and are left out.
"""

from __future__ import annotations

import json
import os
import time

from . import imports, sites, wrapping

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SUFFIX = ".expired"
LONGEST_POLL_S = 1.0
MOST_LINES = 200
_NEARLY = 0.9

_told: dict[str, Any] = {"journal": "", "lines": 0}
_now = time.monotonic


def begin(journal: str) -> None:
    _told["journal"] = journal
    imports.after("multiprocessing.connection", lambda module: _watch(module, "wait", 1, _is_empty))
    imports.after("multiprocessing.synchronize", _watch_conditions)
    imports.after("subprocess", _watch_popen)
    imports.after("threading", _watch_threads)


def _watch_popen(module: Any) -> None:  # noqa: ANN401 -- the module
    _watch(module.Popen, "wait", 1, _never)
    _watch(module.Popen, "communicate", 2, _never)


def _watch_conditions(module: Any) -> None:  # noqa: ANN401 -- the module
    _watch(module.Condition, "wait", 1, _is_false)


def _watch_threads(module: Any) -> None:  # noqa: ANN401 -- the module
    _watch(module.Condition, "wait", 1, _is_false)
    _watch(module.Thread, "join", 1, _is_alive)


def _is_empty(result: Any, _: Any) -> bool:  # noqa: ANN401 -- as the function
    return not result


def _is_false(result: Any, _: Any) -> bool:  # noqa: ANN401 -- as the function
    return result is False


def _is_alive(_: Any, thread: Any) -> bool:  # noqa: ANN401 -- as the function
    return bool(thread.is_alive())


def _never(_result: Any, _self: Any) -> bool:  # noqa: ANN401 -- as the function
    """It raises where its time ran out."""
    return False


def _watch(owner: Any, name: str, place: int, has_expired: Callable[[Any, Any], bool]) -> None:  # noqa: ANN401 -- a class or module
    """`place` is that of the timeout among the arguments, which may be given by name."""

    def make(original: wrapping.Function) -> wrapping.Function:
        def wait(*args: Any, **named: Any) -> Any:  # noqa: ANN401 -- as the function
            __tracebackhide__ = True
            timeout = args[place] if len(args) > place else named.get("timeout")
            if not isinstance(timeout, (int, float)) or timeout <= LONGEST_POLL_S:
                return original(*args, **named)
            began = _now()
            try:
                result = original(*args, **named)
            except Exception as error:
                if type(error).__name__ == "TimeoutExpired":
                    _note(timeout, _now() - began)
                raise
            if _now() - began >= timeout * _NEARLY and has_expired(result, args[0]):
                _note(timeout, _now() - began)
            return result

        return wait

    wrapping.around(owner, name, make)


@wrapping.quietly
def _note(timeout: float, seconds: float) -> None:
    site = sites.call_site(3)
    if _told["lines"] >= MOST_LINES or site is None:
        return
    _told["lines"] += 1
    line = json.dumps({"timeout_s": timeout, "seconds": seconds, "site": site}) + "\n"
    path = os.path.join(_told["journal"], "%d%s" % (os.getpid(), SUFFIX))
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(opened, line.encode("ascii"))
    finally:
        os.close(opened)
