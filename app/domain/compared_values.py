"""The values that a failed comparison shows, as a digest: finer than a group, which values never split.

Two failures of one group whose digests differ failed in one place in two ways (`500 == 404`, `200 == 404`),
and one does not explain the other.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Final

from app.domain.assertion import is_assertion
from app.domain.failure_reading import Reading
from app.domain.failure_record import Framework
from app.domain.masking import MASKS

_LINES: Final = 200
_LINE_CHARS: Final = 1_000
_HEX: Final = 16

_KEPT: Final = frozenset({"size", "percent", "number", "sequence"})
"""Masks whose tokens are the very values that are compared."""
_VOLATILE: Final = tuple(each for each in MASKS if each.name not in _KEPT)
_FLOAT: Final = re.compile(r"(?<![\w.])\d{1,17}\.\d{1,17}(?:[eE][+-]?\d{1,3})?(?!\w|\.\d)")
_COMPARES: Final = re.compile(
    r"\b(?:left|right|expected|actual|received|got|want(?:ed)?|which is|but was|to (?:be|equal))\b"
    r"|[!=]=|[<>]=? ",
    re.IGNORECASE,
)
_DIFFERS: Final = re.compile(r"\s{0,40}[+-] {0,20}\S")
_CALL: Final = re.compile(r"\s{1,40}at ")


def compared_values(reading: Reading) -> str | None:
    """A digest of the operands without addresses, ids and floats' noise; None where nothing is compared."""
    lines = [_settled(line[:_LINE_CHARS]) for line in _comparison(reading)[:_LINES]]
    shown = list(dict.fromkeys(line for line in lines if line))
    if not shown:
        return None
    return hashlib.sha256("\n".join(shown).encode("utf-8", "surrogatepass")).hexdigest()[:_HEX]


def _comparison(reading: Reading) -> list[str]:
    """All that an assertion says; of other texts the lines that compare, and a difference beside them."""
    said: Sequence[str] = () if reading.cause is None else reading.cause.root.message
    is_told = reading.cause is not None and is_assertion(reading.cause.root.type)
    found = [line for line in said if not _CALL.match(line)] if is_told else _comparing(said)
    if reading.framework is Framework.OTHER:
        found += _comparing(reading.lines)
    return found


def _comparing(lines: Iterable[str]) -> list[str]:
    told = [line[:_LINE_CHARS] for line in lines if not _CALL.match(line)]
    if not any(_COMPARES.search(line) for line in told):
        return []
    return [line for line in told if _COMPARES.search(line) or _DIFFERS.match(line)]


def _settled(line: str) -> str:
    for each in _VOLATILE:
        line = each.pattern.sub(each.replacement, line)
    return " ".join(_FLOAT.sub(lambda number: f"{float(number[0]):.4g}", line).split())
