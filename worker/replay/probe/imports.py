"""Calls us back right after a module was executed, before anyone can take a name out of it.

Nothing is imported on our account: a hook on a module that the suspect never imports never runs.
"""

from __future__ import annotations

import sys

from . import journal

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Callback = Callable[[Any], None]

_waiting: dict[str, list[Callback]] = {}


def after(name: str, callback: Callback) -> None:
    """Runs `callback(module)` after each execution of that module, and at once where it was already imported.

    What the callback raises is noted in the journal and goes no further.
    """
    _waiting.setdefault(name, []).append(callback)
    module = sys.modules.get(name)
    if module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False):
        _run(name, callback, module)


def begin() -> None:
    """Puts our finder before the others; again does nothing."""
    if not any(isinstance(one, _Finder) for one in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def _run(name: str, callback: Callback, module: Any) -> None:  # noqa: ANN401 -- a module of any kind
    try:
        callback(module)
    except Exception as error:  # noqa: BLE001 -- a hook that fails must not fail the import
        journal.trouble("after " + name, error)


class _Finder:
    """Finds nothing itself: lets the next finders find, and wraps the loader of the modules asked for."""

    def __init__(self) -> None:
        self._busy: list[str] = []

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> Any:  # noqa: ANN401 -- importlib's own
        if name not in _waiting or name in self._busy:
            return None
        self._busy.append(name)
        try:
            spec = _found_by_others(self, name, path, target)
        finally:
            self._busy.remove(name)
        if spec is not None and spec.loader is not None:
            _watch(name, spec.loader)
        return spec

    def invalidate_caches(self) -> None:
        """Holds none."""


def _found_by_others(own: _Finder, name: str, path: Sequence[str] | None, target: Any) -> Any:  # noqa: ANN401 -- importlib's own
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        if finder is own or find is None:
            continue
        spec = find(name, path, target)
        if spec is not None:
            return spec
    return None


def _watch(name: str, loader: Any) -> None:  # noqa: ANN401 -- a loader of any kind
    execute = getattr(loader, "exec_module", None)
    if execute is None or isinstance(loader, type):
        return

    def exec_module(module: Any) -> None:  # noqa: ANN401 -- a module of any kind
        execute(module)
        for callback in list(_waiting.get(name, ())):
            _run(name, callback, module)

    try:
        loader.exec_module = exec_module
    except AttributeError as error:
        journal.trouble("loader of " + name, error)
