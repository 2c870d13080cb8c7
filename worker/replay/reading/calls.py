"""Collectives of one process from its mapped file of records, which may be in use, cut anywhere, or anybody's.

A point-to-point call has a `peer` (-1: any, or several), no `root`, and a number of its own for each
direction and peer. An asynchronous collective that nobody waited for has neither `t_out` nor `waiting_since`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from worker.replay.facts import Collective, Frame
from worker.replay.probe import calls as layout
from worker.replay.reading import fields
from worker.replay.reading.lines import Event, read_from
from worker.replay.reading.record import Record, thread_of

_MOST_BYTES = layout.MOST_CHUNKS * layout.CHUNK_BYTES
_MOST_OPEN = 4096  # calls that have not ended: more are looked at no second time
_MOST_SHAPES, _MOST_DIMENSIONS = 64, 64

type _Raw = tuple[int, int, int, int, int, int, int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Signature:
    op: str
    reduce_op: str | None
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    site: Frame | None


_UNKNOWN = _Signature("?", None, (), (), None)


@dataclass(slots=True)
class CallTail:
    """One file of records that may still grow: each `read` looks at new records and at those not ended yet."""

    path: Path
    torn: bool = False  # cut, not ours, or full so that calls were lost
    _known: list[Collective] = field(default_factory=list)
    _open: dict[int, int] = field(default_factory=dict)  # offset of its record -> place in `_known`
    _at: int = layout.RECORD.size

    def read(self, record: Record) -> tuple[Collective, ...]:
        """All collectives so far, in the order in which they were entered."""
        if not self._has_header():
            return ()
        declared = _Declared(record)
        for offset, place in list(self._open.items()):
            again = read_from(self.path, offset, layout.RECORD.size)
            if len(again) == layout.RECORD.size:
                self._take(declared, offset, layout.RECORD.unpack(again), place)
        blob = read_from(self.path, self._at, _MOST_BYTES - self._at)
        for offset, raw in _whole(blob):
            if not any(raw):
                break
            if raw[-1] != layout.MARK or raw[0] <= 0:
                self.torn = True  # or being written this moment: then the next read finds it whole
                break
            self._take(declared, self._at + offset, raw, None)
            self._at_next = self._at + offset + layout.RECORD.size
        return tuple(self._known)
