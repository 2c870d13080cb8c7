"""Collectives of one process from its mapped file, which may be in use, cut anywhere, or anybody's.

A point-to-point call has a `peer` (-1: any, or several), no `root`, and a number of its own for each
direction and peer. An asynchronous collective that nobody waited for has neither `t_out` nor `waiting_since`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from worker.replay.facts import Collective, Frame
from worker.replay.probe import calls as layout
from worker.replay.reading import fields
from worker.replay.reading.lines import Event, read_from
from worker.replay.reading.record import Record, thread_of

_MOST_BYTES = layout.MOST_CHUNKS * layout.CHUNK_BYTES
_MOST_OPEN = 4096  # calls that have not ended: of more, the last are not looked at again
_MOST_SHAPES, _MOST_DIMENSIONS = 64, 64
_SIZE = layout.RECORD.size
_BLANK = bytes(_SIZE)


@dataclass(frozen=True, slots=True)
class Signature:
    """What a record's number for operation, shapes and call site stands for."""

    op: str
    reduce_op: str | None
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    site: Frame | None


@dataclass(frozen=True, slots=True)
class Declared:
    """What the numbers in a process's records stand for, as its journal says."""

    signatures: Mapping[int, Signature]
    groups: Mapping[int, str]
    threads: Mapping[int, str]


@dataclass(slots=True)
class CallTail:
    """One file of records that may still grow: each `read` takes new ones, and looks again at open ones."""

    path: Path
    _by_offset: dict[int, Collective] = field(default_factory=dict)
    _open: set[int] = field(default_factory=set)  # offsets of records that may still change
    _unwritten: set[int] = field(default_factory=set)  # those of them that are no whole record
    _at: int = _SIZE  # the header stands where the first record would
    _lost: int = 0

    @property
    def torn(self) -> bool:
        """Cut within a record, not ours, or so full that calls were lost."""
        return bool(self._unwritten) or self._lost != 0

    def read(self, record: Record) -> tuple[Collective, ...]:
        """All collectives so far, in the order in which they were entered."""
        header = read_from(self.path, 0, layout.HEADER.size)
        if len(header) < layout.HEADER.size:
            self._lost = int(bool(header))
            return ()
        magic, size, _, self._lost = layout.HEADER.unpack(header)
        if magic != layout.MAGIC or size != _SIZE:
            self._lost = self._lost or 1
            return ()
        declared = declarations(record)
        for offset in sorted(self._open)[:_MOST_OPEN]:
            self._take(record.pid, declared, offset, read_from(self.path, offset, _SIZE))
        new = read_from(self.path, self._at, _MOST_BYTES - self._at)
        new = new[: -(-len(new.rstrip(b"\0")) // _SIZE) * _SIZE]
        for start in range(0, len(new), _SIZE):
            self._take(record.pid, declared, self._at + start, new[start : start + _SIZE])
        self._at += len(new) - len(new) % _SIZE
        return tuple(sorted(self._by_offset.values(), key=lambda one: one.t_in))

    def _take(self, pid: int, declared: Declared, offset: int, written: bytes) -> None:
        found = _collective(pid, declared, written)
        if found is not None:
            self._by_offset[offset] = found
            self._unwritten.discard(offset)
        elif offset not in self._by_offset:
            self._unwritten.add(offset)
        if found is None or found.t_out is None:
            self._open.add(offset)
        else:
            self._open.discard(offset)


def _collective(pid: int, declared: Declared, written: bytes) -> Collective | None:
    """None for what is no whole record."""
    if len(written) < _SIZE:
        return None
    t_in, t_out, since, error, number, group, signature, thread, other, flags, mark = layout.RECORD.unpack(
        written
    )
    if mark != layout.MARK or t_in <= 0:
        return None
    said = declared.signatures.get(signature, _UNKNOWN)
    is_p2p = bool(flags & layout.IS_P2P)
    return Collective(
        pid=pid,
        group=declared.groups.get(group, f"?{group}"),
        number=number,
        op=said.op,
        t_in=t_in,
        t_out=t_out if t_out >= t_in else None,
        reduce_op=said.reduce_op,
        shapes=said.shapes,
        dtypes=said.dtypes,
        root=None if is_p2p or other < 0 else other,
        site=said.site,
        is_async=bool(flags & layout.IS_ASYNC),
        error=error if flags & layout.HAS_FAILED else None,
        thread=declared.threads.get(thread, "?"),
        waiting_since=since if since > 0 else None,
        peer=other if is_p2p else None,
    )


_UNKNOWN = Signature("?", None, (), (), None)


def declarations(record: Record) -> Declared:
    """Of one number the first declaration counts."""
    signatures = {number: _signature(record, event) for number, event in _numbered(record, "signature")}
    groups = {number: fields.text(event, "group", 300) or "?" for number, event in _numbered(record, "group")}
    threads = {number: thread_of(event) for number, event in _numbered(record, "thread")}
    return Declared(signatures, groups, threads)


def _numbered(record: Record, kind: str) -> Iterator[tuple[int, Event]]:
    met = set()
    for event in record.of(kind):
        number = fields.number(event, "id")
        if number is not None and number not in met:
            met.add(number)
            yield number, event


def _signature(record: Record, event: Event) -> Signature:
    return Signature(
        fields.text(event, "op", 100) or "?",
        fields.text(event, "reduce_op", 100),
        tuple(
            fields.numbers({"": one}, "", _MOST_DIMENSIONS)
            for one in fields.items(event, "shapes", _MOST_SHAPES)
        ),
        fields.texts(event, "dtypes", _MOST_SHAPES),
        record.site(event),
    )
