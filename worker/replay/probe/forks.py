"""What each part of the probe does in a fork child, in the order in which they asked."""

from __future__ import annotations

import os

from . import journal

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from collections.abc import Callable

_in_child: list[Callable[[], None]] = []


def after(callback: Callable[[], None]) -> None:
    """Runs in every fork child, before the code of the suspect goes on there."""
    _in_child.append(callback)


def begin() -> None:
    os.register_at_fork(after_in_child=_run)


def _run() -> None:
    for callback in _in_child:
        try:
            callback()
        except Exception as error:  # noqa: BLE001 -- the child must go on
            journal.trouble("fork: " + getattr(callback, "__qualname__", "?"), error)
