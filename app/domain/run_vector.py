"""The packed outcomes of one job: three bytes a result instead of a row, and still answerable one by one."""

import zlib
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from app.domain.outcome import OutcomeKind

CODEC = 1
"""Rises when the layout changes; stored beside each vector."""

_CODES = {
    OutcomeKind.PASSED: 0,
    OutcomeKind.FAILED: 1,
    OutcomeKind.ERRORED: 2,
    OutcomeKind.SKIPPED: 3,
}
_KINDS = {code: kind for kind, code in _CODES.items()}
_LOW_BITS, _MORE = 0x7F, 0x80
"""Integers are stored seven bits a byte; the eighth says that another byte follows."""
_NO_DURATION = 0
"""Durations are stored as milliseconds + 1, so that 0 can say "not known"."""


class Cell(NamedTuple):
    """One test in the vector; `test` is our own key of the test, `duration_ms` is None if not known."""

    test: int
    outcome: OutcomeKind
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class RunVector:
    """Tests in rising order, each at most once, with a code for each outcome; durations stay packed."""

    tests: tuple[int, ...]
    codes: bytes
    durations: bytes

    def outcome_of(self, test: int) -> OutcomeKind | None:
        """None if the test is not in this job's results: not run is not passed."""
        place = bisect_left(self.tests, test)
        if place < len(self.tests) and self.tests[place] == test:
            return _KINDS[self.codes[place]]
        return None

    def cells(self) -> tuple[Cell, ...]:
        """Everything that was packed, in the order of tests."""
        stored = zip(self.tests, self.codes, _integers(self.durations), strict=True)
        return tuple(
            Cell(test, _KINDS[code], None if duration == _NO_DURATION else duration - 1)
            for test, code, duration in stored
        )


def pack(cells: Iterable[Cell]) -> bytes:
    """Sort by test, store gaps between tests, outcomes and durations as three planes, and compress.

    Raises ValueError for a test that stands twice or a negative number.
    """
    ordered = sorted(cells, key=itemgetter(0))
    tests, codes, durations = bytearray(), bytearray(), bytearray()
    last = -1
    for test, outcome, duration_ms in ordered:
        gap = test - last
        if gap <= 0:
            raise ValueError(f"test {test} stands twice in one vector, or is negative")
        if gap <= _LOW_BITS:  # as most are, one after the other
            tests.append(gap)
        else:
            _put(tests, gap)
        last = test
        codes.append(_CODES[outcome])
        _put(durations, _NO_DURATION if duration_ms is None else duration_ms + 1)
    head = bytearray()
    _put(head, len(codes))
    _put(head, len(tests))
    return zlib.compress(bytes(head + tests + codes + durations), level=6)


def unpack(packed: bytes) -> RunVector:
    plain = zlib.decompress(packed)
    count, place = _take(plain, 0)
    size, place = _take(plain, place)
    tests: list[int] = []
    last = -1
    for gap in _integers(plain[place : place + size]):
        last += gap
        tests.append(last)
    place += size
    return RunVector(tuple(tests), plain[place : place + count], plain[place + count :])


def _put(into: bytearray, number: int) -> None:
    """Append a non-negative integer, seven bits a byte, lowest first."""
    if number < 0:
        raise ValueError(f"{number} is negative")
    while number > _LOW_BITS:
        into.append(number & _LOW_BITS | _MORE)
        number >>= 7
    into.append(number)


def _take(plain: bytes, place: int) -> tuple[int, int]:
    """One integer, and the place after it."""
    end = place
    while plain[end] >= _MORE:
        end += 1
    return _integers(plain[place : end + 1])[0], end + 1


def _integers(plain: bytes) -> list[int]:
    found: list[int] = []
    number, shift = 0, 0
    for byte in plain:
        number |= (byte & _LOW_BITS) << shift
        if byte < _MORE:
            found.append(number)
            number, shift = 0, 0
        else:
            shift += 7
    return found
