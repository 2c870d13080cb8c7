"""Which process is which rank, where no probe could ask: by environment, argument, or order of start."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from worker.replay.facts import Exit, Process

SPAWNED: Final = "--multiprocessing-fork"
_ARGUMENT: Final = re.compile(r"--(?:local[-_])?rank(?:=([0-9]{1,6}))?")
_NUMBER: Final = re.compile(r"[0-9]{1,6}")
_ATTENDANTS: Final = (
    "multiprocessing.resource_tracker",
    "multiprocessing.forkserver",
    "exec(eval(sys.stdin.readline()))",  # a worker of pytest-xdist, which is pytest itself
)


def name_ranks(processes: Sequence[Process], exits: Sequence[Exit]) -> tuple[Process, ...]:
    """Give a rank to those that have none, unless some were known by the probe: it knows better.

    By order means: siblings of one kind that live at the same time, two at least, count from 0 as they
    started. A later batch counts from 0 again.
    """
    if any(one.rank is not None and one.observed for one in processes):
        return tuple(processes)
    ended = {one.pid: one.t for one in exits}
    named = [_by_argument(one) if one.rank is None else one for one in processes]
    if any(one.rank is not None for one in named):
        return tuple(named)
    ranks: dict[int, tuple[int, int]] = {}
    for batch in _batches(named, ended):
        if len(batch) > 1:
            ranks |= {one.pid: (index, len(batch)) for index, one in enumerate(batch)}
    return tuple(
        replace(one, rank=ranks[one.pid][0], world=ranks[one.pid][1], rank_source="order")
        if one.pid in ranks
        else one
        for one in named
    )


def is_attendant(argv: Sequence[str]) -> bool:
    """Whether that command is of multiprocessing itself, or of pytest; what it forks is none of it."""
    return any(name in word for word in argv for name in _ATTENDANTS)


def _by_argument(process: Process) -> Process:
    for word, following in zip(process.argv, [*process.argv[1:], ""], strict=True):
        found = _ARGUMENT.fullmatch(word)
        value = (found[1] or following) if found else ""
        if _NUMBER.fullmatch(value):
            return replace(process, rank=int(value), rank_source="argument")
    return process


def _batches(processes: Sequence[Process], ended: dict[int, int]) -> list[list[Process]]:
    batches: list[list[Process]] = []
    open_batch: dict[tuple[int | None, str], list[Process]] = {}
    for one in sorted(processes, key=lambda process: (process.started, process.pid)):
        kind = _kind(one)
        if kind is None:
            continue
        key = (one.parent, kind)
        batch = open_batch.get(key)
        if batch is None or all(ended.get(other.pid, one.started) < one.started for other in batch):
            batch = open_batch[key] = []
            batches.append(batch)
        batch.append(one)
    return batches


def _kind(process: Process) -> str | None:
    """What makes siblings alike: spawned by multiprocessing, forked, or the same script started anew."""
    if not process.is_python or process.parent is None:
        return None
    if process.began != "fork" and is_attendant(process.argv):
        return None
    if SPAWNED in process.argv:
        return SPAWNED
    if process.began == "fork":
        return "fork"
    return " ".join(process.argv[:3])
