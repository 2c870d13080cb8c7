"""Puts a function of ours around one of the suspect's, which goes on looking like the old one."""

from __future__ import annotations

import sys

from . import journal

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Function = Callable[..., Any]
    Made = TypeVar("Made", bound=Function)

_COPIED = ("__module__", "__name__", "__qualname__", "__doc__", "__dict__")


def around(owner: Any, name: str, make: Callable[[Function], Function]) -> bool:  # noqa: ANN401 -- a module or a class
    """Replaces `owner.name` by `make(original)`; False where there is none, or where it is ours already.

    A wrapper sets the local `__tracebackhide__`, so that pytest does not show it, and calls the original
    exactly once with what it was given.
    """
    original = getattr(owner, name, None)
    if original is None or getattr(original, "__flake_triage__", False):
        return False
    wrapper = dressed(make(original), original)
    home = sys.modules.get(getattr(original, "__module__", None) or "")
    if getattr(home, name, None) is original:  # `posix` of `os`: where pickle looks for it
        setattr(home, name, wrapper)
    setattr(owner, name, wrapper)
    return True


def dressed(wrapper: Made, original: Any) -> Made:  # noqa: ANN401 -- any callable
    for attribute in _COPIED:
        value = getattr(original, attribute, None)
        if attribute == "__dict__":
            wrapper.__dict__.update(value or {})
        elif value is not None:
            setattr(wrapper, attribute, value)
    wrapper.__dict__["__wrapped__"] = original
    wrapper.__dict__["__flake_triage__"] = True
    return wrapper


def quietly(function: Made) -> Made:
    """A function of ours that never raises into the suspect; it gives None where it failed.

    Only `Exception`: what a signal handler of the suspect raises while we run goes on its way. What it needs
    is bound to it: objects that are torn down last call it when modules, builtins too, have been emptied.
    """
    failure, trouble, name = Exception, journal.trouble, getattr(function, "__qualname__", "?")

    def quiet(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 -- passes everything on
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except failure as error:
            try:
                trouble(name, error)
            except failure:
                return None
            return None

    quiet.__name__, quiet.__qualname__ = function.__name__, function.__qualname__
    quiet.__doc__ = function.__doc__
    return quiet  # type: ignore[return-value]  # the same signature, which Python 3.9 has no words for
