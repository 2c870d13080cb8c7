"""Notes how this process leaves, and how its children left as far as it waited for them."""

from __future__ import annotations

import atexit
import os
import sys

from . import exceptions, imports, journal, processes, sites, wrapping

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_left: list[int] = []
_on_leaving: list[Callable[[int], int]] = []
_leaving: dict[str, Any] = {}


def begin() -> None:
    """One write at exit, by whichever comes first of what is registered now and once torch is there.

    What was registered last runs first: torch's own may crash, and that is while exiting too.
    """
    atexit.register(_note_exiting)
    imports.after("torch", _tell_before_torch)
    wrapping.around(os, "_exit", _around_immediate_exit)
    wrapping.around(sys, "exit", _around_exit)
    for name in ("waitpid", "wait", "wait3", "wait4"):
        wrapping.around(os, name, _around_wait)


def on_leaving(callback: Callable[[int], int]) -> None:
    """Called with the code of an immediate exit that the suspect asks for; gives the one to exit with."""
    _on_leaving.append(callback)


def has_failed() -> bool:
    """Whether this program is ending with an exit code other than 0, as far as Python can say."""
    is_uncaught = getattr(sys, "last_type", None) is not None or getattr(sys, "last_exc", None) is not None
    return is_uncaught or bool(_leaving.get("code"))


def _tell_before_torch(_: object) -> None:
    atexit.register(_note_exiting)


def _note_exiting() -> None:
    if not _left:
        _left.append(os.getpid())
        journal.note("exiting", **_leaving)


def _around_immediate_exit(original: wrapping.Function) -> wrapping.Function:
    def _exit(status: int) -> Any:  # noqa: ANN401 -- never returns
        for callback in _on_leaving:
            status = callback(status)
        _note_immediate_exit(status)
        return original(status)

    return _exit


@wrapping.quietly
def _note_immediate_exit(status: int) -> None:
    """A fork child of multiprocessing ends by `os._exit` too: that is its return, already noted."""
    if str(sys._getframe(3).f_globals.get("__name__")).startswith("multiprocessing."):  # noqa: SLF001 -- as in sites
        journal.note("exiting", code=status & 0xFF)
        return
    exceptions.look()
    journal.note("done", ending="os._exit", code=status & 0xFF, site=sites.call_site())
    journal.note("exiting", code=status & 0xFF)


def _around_exit(original: wrapping.Function) -> wrapping.Function:
    def exit(*args: Any) -> Any:  # noqa: ANN401, A001 -- stands for sys.exit
        __tracebackhide__ = True
        _remember_exit(args)
        return original(*args)

    return exit


@wrapping.quietly
def _remember_exit(args: Any) -> None:  # noqa: ANN401 -- as sys.exit was given them
    """Told at the end only: a SystemExit may yet be caught."""
    exceptions.look()
    if journal.thread_name() == "MainThread" and sites.call_site() is not None:
        _leaving.update(ending="sys.exit", code=processes.exit_code(args[0] if args else None))


def _around_wait(original: wrapping.Function) -> wrapping.Function:
    def wait(*args: Any) -> Any:  # noqa: ANN401 -- as the function
        __tracebackhide__ = True
        came = original(*args)
        if came[0] > 0:
            _note_child(came[0], came[1])
        return came

    return wait


@wrapping.quietly
def _note_child(pid: int, status: int) -> None:
    if os.WIFEXITED(status) or os.WIFSIGNALED(status):
        journal.note("child", target=pid, code=os.waitstatus_to_exitcode(status))
