"""Words for what happened: what a suspect wrote is bounded, on one line, and cannot move a terminal."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from worker.replay.facts import Collective, Frame, Source

MOST_MESSAGE: Final = 300
"""Characters of an exception's message inside a sentence."""
MOST_SENTENCE: Final = 1_500
MOST_NAME: Final = 120
"""Characters of a file, a function, a group or a key."""

_FIGURE: Final = re.compile(r"0x[0-9a-fA-F]{1,32}|\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,4})?")
_SECOND_NS: Final = 1_000_000_000
_UNSEEN: Final = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode's categories of what ends a line, turns writing round, or is no character at all."""


def clean(text: str, most: int = MOST_MESSAGE) -> str:
    """One line of at most `most` characters: white space joined, control and direction characters gone."""
    if len(text) <= most and text.isprintable():
        return " ".join(text.split())
    shown = "".join(_shown(one) for one in text[: 4 * most])
    joined = " ".join(shown.split())
    if len(joined) <= most and len(text) <= 4 * most:
        return joined
    return f"{joined[: most - 3]}..."


def _shown(one: str) -> str:
    if one.isascii() and one.isprintable():
        return one
    if one.isspace():
        return " "
    return "" if unicodedata.category(one) in _UNSEEN else one


def without_figures(text: str) -> str:
    """Each number as `#`: what is left are the words, equal where two measurements differ."""
    return _FIGURE.sub("#", text)


def place(frame: Frame) -> str:
    """`file:line in function`."""
    return f"{clean(frame.file, MOST_NAME)}:{frame.line} in {clean(frame.function, MOST_NAME)}"


def stable_place(frame: Frame | None) -> str | None:
    """`file:function`, which an edit above it does not move; None without a frame."""
    return f"{clean(frame.file, MOST_NAME)}:{clean(frame.function, MOST_NAME)}" if frame else None


def innermost_of_project(outer_to_inner: Sequence[Frame]) -> Frame | None:
    """The frame of the project in which it happened; None where only libraries were running."""
    return next((frame for frame in reversed(outer_to_inner) if frame.in_project), None)


def exception(type_name: str, message: str) -> str:
    """`ValueError: no packing fits`, or the type alone."""
    said = clean(message)
    name = clean(type_name, MOST_NAME)
    return f"{name}: {said}" if said else name


def operation(call: Collective) -> str:
    """`all_reduce(MIN)`, `broadcast(from rank 0)`, `recv(rank 2)`."""
    return operation_words(call.op, call.reduce_op)


def operation_words(op: str, reduce_op: str | None) -> str:
    name = clean(op, MOST_NAME)
    detail = clean(reduce_op, MOST_NAME) if reduce_op else ""
    return f"{name}({detail})" if detail else name


def position(call: Collective, ordinal: int) -> str:
    """`WORLD collective 15 all_reduce(MIN) at file:line in function`, and whose count it is."""
    counted = " of the flight recorder's count" if call.source is Source.FLIGHT_RECORDER else ""
    site = f" at {place(call.site)}" if call.site else ""
    return f"{clean(call.group, MOST_NAME)} collective {ordinal}{counted} {operation(call)}{site}"


def seconds(ns: int) -> str:
    """Lengths of time as people say them: `3.0 s`, `20 ms`."""
    if abs(ns) < _SECOND_NS:
        return f"{ns / 1e6:.0f} ms"
    return f"{ns / 1e9:.1f} s"


def listed(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = list(words) or [""]
    return f"{', '.join(first)} and {last}" if first else last


def ranks(numbers: Iterable[int]) -> str:
    """`rank 1`, `ranks 0 and 2`."""
    each = sorted(set(numbers))
    return f"{'rank' if len(each) == 1 else 'ranks'} {listed(str(number) for number in each)}"


def sentence(*parts: str) -> str:
    """Parts joined by semicolons, within the bound of a sentence."""
    return clean("; ".join(part for part in parts if part), MOST_SENTENCE)
