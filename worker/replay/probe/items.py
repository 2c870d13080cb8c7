"""What an item says, without running code of its own: a short form, its rank, whether it tells of failure."""

from __future__ import annotations

from . import exceptions

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from typing import Any

TRACE = "Traceback (most recent call last)"

_MOST_TEXT = 300
_MOST_PARTS = 6
_DEEPEST = 3
_HASHED = 65536  # bytes from each end: an item may be a tensor of gigabytes
_PLAIN = (type(None), bool, int, float, complex)


def told(item: Any) -> tuple[str, bool, int | None]:  # noqa: ANN401 -- whatever is sent
    """Text (a traceback's last line, or a short form), whether it holds a failure, and the rank it names."""
    failure = _failure_in(item, _DEEPEST)
    text = failure if failure is not None else short(item)
    return text[:_MOST_TEXT], failure is not None, _rank_in(item)


def digest(content: bytes | memoryview) -> str:
    """The same text for the same bytes on both sides of a pipe."""
    from zlib import crc32  # noqa: PLC0415 -- dear at start

    view = memoryview(content)
    return "%d-%08x" % (view.nbytes, crc32(view[-_HASHED:], crc32(view[:_HASHED])))


def reports_failure(content: bytes | memoryview) -> bool:
    return TRACE.encode() in bytes(memoryview(content)[:_HASHED])


def short(item: Any, left: int = _DEEPEST) -> str:  # noqa: ANN401 -- whatever is sent
    """A repr of plain values; of anything else its type alone: a repr of the suspect's may do anything."""
    kind = type(item)
    if kind in _PLAIN:
        return repr(item)
    if kind is str or kind is bytes:
        return repr(item[:80]) + "..." * (len(item) > 80)  # noqa: PLR2004 -- a line's worth
    if left and kind is dict:
        pairs = [
            short(name, left - 1) + ": " + short(item[name], left - 1) for name in list(item)[:_MOST_PARTS]
        ]
        return "{" + ", ".join(pairs) + ", ..." * (len(item) > _MOST_PARTS) + "}"
    if left and kind in (list, tuple):
        parts = [short(one, left - 1) for one in item[:_MOST_PARTS]]
        return (
            "[("[kind is tuple] + ", ".join(parts) + ", ..." * (len(item) > _MOST_PARTS) + "])"[kind is tuple]
        )
    return "<%s.%s>" % (kind.__module__, kind.__qualname__)


def _failure_in(item: Any, left: int) -> str | None:  # noqa: ANN401 -- whatever is sent
    """The last line of the first traceback or exception among its parts."""
    kind = type(item)
    if kind is str:
        return item.rstrip().rsplit("\n", 1)[-1].strip() if TRACE in item[:_HASHED] else None
    if isinstance(item, BaseException):
        return "%s: %s" % (exceptions.type_name(item), exceptions.message(item))
    parts = item.values() if kind is dict else item if kind in (list, tuple) else ()
    if left:
        for one in list(parts)[:_MOST_PARTS]:
            found = _failure_in(one, left - 1)
            if found is not None:
                return found
    return None


def _rank_in(item: Any) -> int | None:  # noqa: ANN401 -- whatever is sent
    rank = item.get("rank") if type(item) is dict else None
    return rank if type(rank) is int else None
