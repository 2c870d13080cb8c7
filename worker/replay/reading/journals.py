"""The journals of one trial as facts: whole, cut anywhere, hostile, or still being written."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from worker.replay.facts import (
    Collective,
    Exit,
    Group,
    Init,
    LockWait,
    Phase,
    Process,
    QueueItem,
    Raised,
    Sent,
    Stack,
    StoreCall,
    Teardown,
)
from worker.replay.reading import events, exceptions, items, life, processes, signals, stacks
from worker.replay.reading.collectives import CollectiveReader
from worker.replay.reading.lines import Tail, read_from
from worker.replay.reading.record import Record

MOST_PROCESSES = 2000
MOST_BYTES = 256 * 1024 * 1024  # of all journals: what comes after is left unread, and named as torn

Fact = TypeVar("Fact")

_JOURNAL = re.compile(r"(\d{1,10})\.jsonl")


@dataclass(frozen=True, slots=True)
class Journals:
    """What the probe wrote, each tuple in order of time. `exits` are those that parents reported.

    `torn` names files that end within a record, or hold something that is none; `troubles` are the
    probe's own faults, each with its process.
    """

    processes: tuple[Process, ...] = ()
    inits: tuple[Init, ...] = ()
    teardowns: tuple[Teardown, ...] = ()
    groups: tuple[Group, ...] = ()
    collectives: tuple[Collective, ...] = ()
    store_calls: tuple[StoreCall, ...] = ()
    raised: tuple[Raised, ...] = ()
    items: tuple[QueueItem, ...] = ()
    sent: tuple[Sent, ...] = ()
    stacks: tuple[Stack, ...] = ()
    lock_waits: tuple[LockWait, ...] = ()
    phases: tuple[Phase, ...] = ()
    exits: tuple[Exit, ...] = ()
    torn: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()


def read_journals(folder: Path, project: str) -> Journals:
    """All journals of a trial's folder. `project` is the project's folder as the suspect saw it.

    Never raises for what stands in the folder, and a folder that is missing has no journals.
    """
    return JournalReader(folder, project).read()


@dataclass(slots=True)
class JournalReader:
    """Reads a folder again and again while it is written: lines are parsed once."""

    folder: Path
    project: str
    _tails: dict[int, Tail] = field(default_factory=dict)
    _collectives: CollectiveReader = field(init=False)

    def __post_init__(self) -> None:
        self._collectives = CollectiveReader(self.folder)

    def read(self) -> Journals:
        records = self._records()
        raised = {one.pid: exceptions.raised(one) for one in records}
        inits = {one.pid: life.inits(one) for one in records}
        teardowns = {one.pid: life.teardowns(one) for one in records}
        told = [
            processes.process(one, inits[one.pid], teardowns[one.pid], raised[one.pid]) for one in records
        ]
        known = [one for one in told if one is not None]
        dumped = self._stacks(records)
        collectives, torn = self._collectives.read(records)
        return Journals(
            processes=_in_order(known, lambda one: one.started),
            inits=_in_order(_all(inits.values()), lambda one: one.t_in),
            teardowns=_in_order(_all(teardowns.values()), lambda one: one.t_in),
            groups=_in_order(
                _all(life.groups(one, teardowns[one.pid]) for one in records), lambda one: one.t
            ),
            collectives=collectives,
            store_calls=_in_order(_all(map(life.store_calls, records)), lambda one: one.t_in),
            raised=_in_order(_all(raised.values()), lambda one: one.t),
            items=items.read_items(records, {one.pid: one.rank for one in known if one.rank is not None}),
            sent=_in_order(
                [signals.with_stacks(one, dumped) for one in _all(map(signals.sent, records))],
                lambda one: one.t,
            ),
            stacks=_in_order(dumped, lambda one: one.t),
            lock_waits=_in_order(_all(map(events.lock_waits, records)), lambda one: one.t),
            phases=_in_order(_all(map(events.phases, records)), lambda one: one.t),
            exits=_in_order(_all(map(processes.exits, records)), lambda one: one.t),
            torn=tuple(sorted([*torn, *(one.path.name for one in self._tails.values() if one.torn)])),
            troubles=tuple(_all(map(events.troubles, records))),
        )

    def _records(self) -> list[Record]:
        for pid in self._found():
            self._tails.setdefault(pid, Tail(self.folder / f"{pid}.jsonl"))
        left = MOST_BYTES
        for tail in self._tails.values():
            tail.read(left)
            left -= tail.size
        return [Record(pid, tail.events) for pid, tail in sorted(self._tails.items())]

    def _found(self) -> list[int]:
        try:
            names = [one.name for one in self.folder.iterdir()]
        except OSError:
            return []
        found = (_JOURNAL.fullmatch(name) for name in names)
        return sorted(int(one[1]) for one in found if one)[:MOST_PROCESSES]

    def _stacks(self, records: Sequence[Record]) -> list[Stack]:
        asked = signals.answers(records)
        found: list[Stack] = []
        for record in records:
            path = self.folder / f"{record.pid}.stacks"
            content = read_from(path, 0, stacks.MOST_BYTES)
            if content:
                told = stacks.Told(
                    pid=record.pid,
                    project=self.project,
                    main=processes.main_thread(record),
                    last_at=_written_at(path, record),
                    asked=asked.get(record.pid, ()),
                    sources=events.sources(record),
                )
                found.extend(stacks.read_stacks(content, told))
        return found


def _written_at(path: Path, record: Record) -> int:
    """When the file was last written, by the clock of the journals."""
    try:
        wall = path.stat(follow_symlinks=False).st_mtime_ns
    except OSError:
        return 0
    return wall - (processes.wall_offset(record) or 0)


def _all(parts: Iterable[Iterable[Fact]]) -> list[Fact]:
    return [one for part in parts for one in part]


def _in_order(facts: Iterable[Fact], t: Callable[[Fact], int]) -> tuple[Fact, ...]:
    return tuple(sorted(facts, key=t))
