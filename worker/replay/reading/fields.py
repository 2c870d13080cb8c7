"""Takes typed values out of an event that anybody may have written: another type reads as absent."""

from collections.abc import Mapping, Sequence

from worker.replay.facts import Frame
from worker.replay.reading.lines import Event

MOST_TEXT = 8192
_MOST_NUMBER = 1 << 63
_MOST_FRAMES = 64


def text(event: Event, name: str, most: int = MOST_TEXT) -> str | None:
    """A string without the surrogates that no encoder of ours could write."""
    value = event.get(name)
    if not isinstance(value, str):
        return None
    return value[:most].encode("utf-8", "replace").decode("utf-8")


def number(event: Event, name: str) -> int | None:
    value = event.get(name)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and isinstance(value, int) and -_MOST_NUMBER <= value < _MOST_NUMBER else None


def real(event: Event, name: str) -> float | None:
    """A finite number of seconds or the like."""
    value = event.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -1e300 < value < 1e300 else None  # noqa: PLR2004 -- neither infinite nor NaN


def flag(event: Event, name: str) -> bool | None:
    value = event.get(name)
    return value if isinstance(value, bool) else None


def items(event: Event, name: str, most: int) -> Sequence[object]:
    value = event.get(name)
    return value[:most] if isinstance(value, list) else ()


def texts(event: Event, name: str, most: int) -> tuple[str, ...]:
    return tuple(
        one for one in (text({"": each}, "") for each in items(event, name, most)) if one is not None
    )


def numbers(event: Event, name: str, most: int) -> tuple[int, ...]:
    return tuple(
        one for one in (number({"": each}, "") for each in items(event, name, most)) if one is not None
    )


def counts(event: Event, name: str) -> Mapping[str, int]:
    """A small object of numbers."""
    value = event.get(name)
    if not isinstance(value, dict):
        return {}
    pairs = ((text({"": key}, "", 300), number(value, key)) for key in list(value)[:256])
    return {key: count for key, count in pairs if key is not None and count is not None}


def frame(value: object) -> Frame | None:
    """`[file, line, function, source or null, in project]`."""
    if not isinstance(value, list) or len(value) != 5:  # noqa: PLR2004 -- as above
        return None
    parts: Event = dict(zip("flnsp", value, strict=True))
    file, line, name = text(parts, "f", 1000), number(parts, "l"), text(parts, "n", 300)
    if file is None or line is None or name is None:
        return None
    return Frame(file, line, name, text(parts, "s", 300), flag(parts, "p") is True)


def frames(event: Event, name: str) -> tuple[Frame, ...]:
    return tuple(one for one in map(frame, items(event, name, _MOST_FRAMES)) if one is not None)
