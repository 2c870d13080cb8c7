"""Fit failures into a fixed number of bytes: all of them briefly before any at length, the rest counted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

MOST_AT_LENGTH = 10
MOST_AT_ALL = 50
"""Longer texts are not read, whatever room there is (reference: products, 2a)."""

_GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class Passage:
    """The same thing told at length and briefly; `count` is how many failures it tells of."""

    full: str
    brief: str
    count: int


def fit(
    passages: Sequence[Passage],
    *,
    head: str,
    foot: str,
    more: Callable[[int], str],
    limit_bytes: int,
) -> str:
    """Join head, passages and foot within `limit_bytes` bytes of UTF-8; `more(n)` says what was left out.

    Head and foot are always whole. Raises ValueError if they alone do not fit.
    """
    room = limit_bytes - _cost(head) - _cost(foot) - _cost(more(sum(p.count for p in passages)))
    if room < 0:
        raise ValueError(f"{limit_bytes} bytes do not even hold the head and the foot")
    told: list[str] = []
    for passage in passages[:MOST_AT_ALL]:
        if _cost(passage.brief) > room:
            break
        room -= _cost(passage.brief)
        told.append(passage.brief)
    for index, passage in enumerate(passages[: min(len(told), MOST_AT_LENGTH)]):
        extra = _cost(passage.full) - _cost(passage.brief)
        if extra <= room:
            room -= extra
            told[index] = passage.full
    left = sum(passage.count for passage in passages[len(told) :])
    return _GAP.join([head, *told, *([more(left)] if left else []), foot])


def _cost(text: str) -> int:
    return len(text.encode()) + len(_GAP)
