"""Operations on torch's stores that Python code calls: who set, read or waited for which key, and when."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Callable, Optional, Tuple

from . import calls, delays, journal, sites, torch_groups, wrapping

# Only the stores that torch builds: a store written in Python overrides methods of the base class, and
# pybind would take our function there for such an override, and call it for ever.
STORES = ("TCPStore", "FileStore", "HashStore", "PrefixStore")
OPERATIONS = (
    "set", "get", "add", "wait", "check", "compare_set", "delete_key", "append", "multi_get", "multi_set",
    "num_keys", "barrier", "queue_push", "queue_pop",
)  # fmt: skip
MOST_CALLS = 20_000  # a poll that never ends must not fill the journal
_LONGEST_KEY = 200


class _Count:
    calls = 0


def begin(c10d: ModuleType, asked: Optional[delays.Delays]) -> None:
    extension = sys.modules.get("torch._C._distributed_c10d")  # c10d itself names only some of them
    for store in STORES:
        owner = getattr(extension, store, None) or getattr(c10d, store, None)
        if owner is None:
            continue
        for operation in OPERATIONS:
            wrapping.around(owner, operation, _maker(operation, asked))


def forget() -> None:
    _Count.calls = 0


def _maker(
    operation: str, asked: Optional[delays.Delays]
) -> Callable[[wrapping.Function], wrapping.Function]:
    def make(original: wrapping.Function) -> wrapping.Function:
        def recorded(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 -- torch's own
            __tracebackhide__ = True
            if asked is not None:
                asked.before_store(torch_groups.rank())
            number = _began(operation, args, kwargs)
            try:
                result = original(self, *args, **kwargs)
            except BaseException as error:
                _failed(number, error)
                raise
            if number:
                journal.out(number)
            return result

        return recorded

    return make


@wrapping.quietly
def _began(operation: str, args: Tuple[Any, ...], kwargs: Any) -> int:  # noqa: ANN401 -- torch's own
    _Count.calls += 1
    if _Count.calls > MOST_CALLS:
        return 0
    return journal.call("store", op=operation, key=_key(args, kwargs), site=sites.site_number(3))


@wrapping.quietly
def _failed(number: Optional[int], error: BaseException) -> None:
    identity = calls.noted(error)
    if number:
        journal.out(number, identity)


def _key(args: Tuple[Any, ...], kwargs: Any) -> str:  # noqa: ANN401 -- torch's own
    given = args[0] if args else kwargs.get("key", kwargs.get("keys", ""))
    if isinstance(given, (list, tuple)):
        given = ",".join(str(one) for one in given[:10])
    return str(given)[:_LONGEST_KEY] if isinstance(given, str) else ""
