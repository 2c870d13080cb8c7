"""Collectives that torch's Flight Recorder saw, from the dumps that a process left.

Numbers are torch's own, counted for each group and apart from ours. Gloo tells no time of completion: `t_out`
is that of the first dump that calls an entry retired, which a failed wait makes it too, or that the process
made by itself as it left: then it was in no collective, though torch may call the last ones retired later.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from worker.replay.facts import Collective, Frame, Source
from worker.replay.reading import fields
from worker.replay.reading.lines import Event, read_from
from worker.replay.reading.record import Record, time_of

MOST_BYTES = 16 * 1024 * 1024  # of one file: as much as the probe writes
_MOST_LINE = 8 * 1024 * 1024
_MOST_ENTRIES = 20_000  # of a dump; the ring holds 2000
_MOST_SHAPES = 64
_ON_LEAVING = {"destroyed", "exiting"}
_DTYPES = {
    "Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64", "Half": "float16",
    "Float": "float32", "Double": "float64", "BFloat16": "bfloat16", "Bool": "bool",
    "ComplexFloat": "complex64", "ComplexDouble": "complex128",
}  # fmt: skip


def read(path: Path, record: Record) -> tuple[tuple[Collective, ...], bool]:
    """The collectives in the order in which torch enqueued them, and whether the file is torn."""
    blob = read_from(path, 0, MOST_BYTES + 1)
    whole = blob[: blob.rfind(b"\n") + 1]
    torn = len(whole) < len(blob)
    found: dict[int, Collective] = {}
    began = min((time_of(event) for event in record.of("process")), default=0)
    for line in whole.splitlines():
        dump = _dump(line)
        if dump is None:
            torn = True
        else:
            _take(found, dump, record.pid, began)
    return tuple(sorted(found.values(), key=lambda one: one.t_in)), torn


def _dump(line: bytes) -> Event | None:
    if len(line) > _MOST_LINE:
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or fields.number(found, "t") is None:
        return None
    return found if isinstance(found.get("trace"), dict) else None


def _take(found: dict[int, Collective], dump: Event, pid: int, began: int) -> None:
    """An entry bears the group's name of the first dump that holds it: torch uses its names again later."""
    trace, names = dump["trace"], dump.get("groups")
    assert isinstance(trace, dict)
    here = _sites(dump)
    for entry in fields.items(trace, "entries", _MOST_ENTRIES):
        if not isinstance(entry, dict):
            continue
        record_id = fields.number(entry, "record_id")
        seen = _collective(entry, dump, pid, names if isinstance(names, dict) else {})
        if record_id is None or seen is None or seen.t_in < began:  # forked with its parent's ring
            continue
        before = found.get(record_id)
        if seen.t_out is None and seen.site is None:
            seen = replace(seen, site=here.get(fields.text(entry, "thread_id", 30) or "", here.get("main")))
        found[record_id] = seen if before is None else _merged(before, seen)


def _merged(before: Collective, seen: Collective) -> Collective:
    return replace(
        before,
        t_out=seen.t_out if before.t_out is None else before.t_out,
        site=before.site or seen.site,
    )


def _collective(entry: Event, dump: Event, pid: int, names: Event) -> Collective | None:
    created, number = fields.number(entry, "time_created_ns"), _number(entry)
    if created is None or number is None:
        return None
    ahead = (fields.number(dump, "wall") or 0) - time_of(dump)  # of the wall clock, which torch uses
    kind = fields.text(entry, "profiling_name", 200) or "?"
    op, _, ends = kind.rpartition(":")[2].partition(" ")
    return Collective(
        pid=pid,
        group=_group(entry, names),
        number=number,
        op=op,
        t_in=created - ahead,
        t_out=_t_out(entry, dump, created, ahead),
        shapes=tuple(
            fields.numbers({"": one}, "", 64) for one in fields.items(entry, "input_sizes", _MOST_SHAPES)
        ),
        dtypes=tuple(
            _DTYPES.get(one, one.lower()) for one in fields.texts(entry, "input_dtypes", _MOST_SHAPES)
        ),
        site=fields.frame(entry.get("site")),
        source=Source.FLIGHT_RECORDER,
        peer=_peer(ends) if fields.flag(entry, "is_p2p") else None,
    )


def _number(entry: Event) -> int | None:
    return fields.number(entry, "p2p_seq_id" if fields.flag(entry, "is_p2p") else "collective_seq_id")


def _group(entry: Event, names: Event) -> str:
    told = fields.texts(entry, "process_group", 2)
    return fields.text(names, told[0], 300) or f"{told[0]}:{told[-1]}"[:300] if told else "?"


def _t_out(entry: Event, dump: Event, created: int, ahead: int) -> int | None:
    completed = fields.number(entry, "time_discovered_completed_ns")
    if completed is not None and completed >= created:
        return completed - ahead
    is_over = fields.flag(entry, "retired") or fields.text(dump, "why", 20) in _ON_LEAVING
    return max(time_of(dump), created - ahead) if is_over else None


def _peer(ends: str) -> int:
    """Of `0->1` the other rank as far as the name tells; -1 where it does not."""
    to = ends.rpartition("->")[2]
    return int(to) if to.isascii() and to.isdigit() and len(to) <= 9 else -1  # noqa: PLR2004 -- digits


def _sites(dump: Event) -> Mapping[str, Frame]:
    """Where each thread was at the moment of the dump."""
    told = dump.get("sites")
    if not isinstance(told, dict):
        return {}
    pairs = ((name, fields.frame(told[name])) for name in list(told)[:1000])
    return {name: frame for name, frame in pairs if frame is not None}
