"""Keeps the way in for a Python that the suspect starts with an environment of its own making.

Nothing but the probe's folder is added to it, as an entry of PYTHONPATH; `address.json` tells the rest. An
environment that is inherited, and a program that is no Python, are left alone.
"""

from __future__ import annotations

import os

from . import address, imports, wrapping

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_PATHS = "PYTHONPATH"
_AT = 6  # where `_execute_child` takes the environment, in every Python from 3.9 on


def begin() -> None:
    imports.after("subprocess", _watch)


def _watch(subprocess: Any) -> None:  # noqa: ANN401 -- the module
    def make(original: wrapping.Function) -> wrapping.Function:
        def _execute_child(self: Any, *args: Any) -> Any:  # noqa: ANN401 -- as the method
            __tracebackhide__ = True
            return original(self, *(_with_way_in(args) or args))

        return _execute_child

    wrapping.around(subprocess.Popen, "_execute_child", make)


@wrapping.quietly
def _with_way_in(args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The same arguments with an environment that leads here; None where nothing is to be changed."""
    environment = args[_AT]
    if environment is None or not _is_python(args[0], args[1]):
        return None
    return (*args[:_AT], _leading_here(environment), *args[_AT + 1 :])


def _is_python(command: Any, executable: Any) -> bool:  # noqa: ANN401 -- as Popen was given them
    if executable is None:
        executable = command if isinstance(command, (str, bytes, os.PathLike)) else command[0]
    return os.path.basename(os.fsdecode(executable)).startswith("python")


def _leading_here(environment: Mapping[Any, Any]) -> dict[Any, Any]:
    """Its keys may be text or bytes, and the entry stands first so that it finds our `sitecustomize`."""
    folder = os.path.dirname(address.PACKAGE)
    told = {os.fsdecode(name): os.fsdecode(value) for name, value in environment.items()}
    entries = [one for one in told.get(_PATHS, "").split(os.pathsep) if one]
    if folder in entries:
        return dict(environment)
    kept = {name: value for name, value in environment.items() if os.fsdecode(name) != _PATHS}
    return {**kept, _PATHS: os.pathsep.join([folder, *entries])}
