"""The packed outcomes of one job: three bytes a result instead of a row, and still answerable one by one."""

import zlib
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One test in the vector; `test` is our own key of the test, `duration_ms` is None if not known."""

    test: int
    outcome: OutcomeKind
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class RunVector:
    """Cells sorted by test, each test at most once."""

    cells: tuple[Cell, ...]

    def outcome_of(self, test: int) -> OutcomeKind | None:
        """None if the test is not in this job's results: not run is not passed."""
        place = bisect_left(self.cells, test, key=lambda cell: cell.test)
        if place < len(self.cells) and self.cells[place].test == test:
            return self.cells[place].outcome
        return None


def pack(cells: Iterable[Cell]) -> bytes:
    """Sort by test, store gaps between tests, outcomes and durations as three planes, and compress."""
    ordered = sorted(cells)
    tests, outcomes, durations = bytearray(), bytearray(), bytearray()
    last = 0
    for cell in ordered:
        if cell.test <= last and tests:
            raise ValueError(f"test {cell.test} stands twice in one vector")
        _put(tests, cell.test - last)
        last = cell.test
        outcomes.append(_CODES[cell.outcome])
        _put(durations, _NO_DURATION if cell.duration_ms is None else cell.duration_ms + 1)
    head = bytearray()
    _put(head, len(ordered))
    return zlib.compress(bytes(head + tests + outcomes + durations), level=6)


def unpack(packed: bytes) -> RunVector:
    plain = zlib.decompress(packed)
    count, place = _take(plain, 0)
    tests: list[int] = []
    last = 0
    for _ in range(count):
        gap, place = _take(plain, place)
        last += gap
        tests.append(last)
    outcomes = plain[place : place + count]
    place += count
    cells: list[Cell] = []
    for test, code in zip(tests, outcomes, strict=True):
        stored, place = _take(plain, place)
        cells.append(Cell(test, _KINDS[code], None if stored == _NO_DURATION else stored - 1))
    return RunVector(tuple(cells))


def _put(into: bytearray, number: int) -> None:
    """Append a non-negative integer, seven bits a byte, lowest first."""
    while number > _LOW_BITS:
        into.append(number & _LOW_BITS | _MORE)
        number >>= 7
    into.append(number)


def _take(plain: bytes, place: int) -> tuple[int, int]:
    number, shift = 0, 0
    while True:
        byte = plain[place]
        number |= (byte & _LOW_BITS) << shift
        place += 1
        if byte < _MORE:
            return number, place
        shift += 7
