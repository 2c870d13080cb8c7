"""Which collective of one rank met which of the others: counted per group and rank, by one source at a time.

The wrapper and the flight recorder number differently, so that each has its own sequences. Sends and receives
meet a partner, not the group, and are paired apart (`pairs.py`).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from worker.replay.explain.worlds import World
from worker.replay.facts import WORLD, Collective, Group, Source, TrialFacts

POINT_TO_POINT: Final = {
    "send",
    "recv",
    "isend",
    "irecv",
    "batch_isend_irecv",
    "send_object_list",
    "recv_object_list",
}

_PAIR: Final = 2

_ANY_SHAPE: Final = ("all_to_all", "barrier", "monitored_barrier")
"""Operations in which ranks may bring different sizes, or none. The wrapper records of each other operation
the tensor that must be alike on all ranks."""
_ALIKE_IN_RECORDER: Final = ("all_reduce", "broadcast", "all_gather")
"""The flight recorder records inputs, which only the root of a scatter has."""


@dataclass(frozen=True, slots=True)
class Line:
    """One group's collectives in one world by one source. Ordinals count from 1 in every member alike."""

    group: str
    source: Source
    world: World
    members: tuple[int, ...]  # pids in order of rank
    calls: Mapping[int, Mapping[int, Collective]]  # pid -> ordinal -> call
    first: int  # the lowest ordinal that all members still have: a ring forgets

    @property
    def last(self) -> int:
        return max((max(calls, default=0) for calls in self.calls.values()), default=0)

    def at(self, ordinal: int) -> dict[int, Collective]:
        """The calls of that ordinal, by pid."""
        return {pid: self.calls[pid][ordinal] for pid in self.members if ordinal in self.calls.get(pid, {})}

    @property
    def matched(self) -> int:
        """The last ordinal up to which every member entered the same and none ended with an error."""
        is_whole = self.group != WORLD or len(self.members) == self.world.size
        if not is_whole or len(self.members) < _PAIR or any(not self.calls.get(pid) for pid in self.members):
            return 0
        ordinal = self.first
        while self.is_matched(ordinal):
            ordinal += 1
        return ordinal - 1

    def is_matched(self, ordinal: int) -> bool:
        calls = self.at(ordinal)
        return (
            len(calls) == len(self.members)
            and not any(call.error is not None for call in calls.values())
            and difference(list(calls.values())) is None
        )


def know_lines(facts: TrialFacts, worlds: Sequence[World]) -> tuple[Line, ...]:
    """All sequences, in order of world, group and source."""
    by_key: dict[tuple[int, str, Source], dict[int, list[Collective]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for call in facts.collectives:
        if call.op in POINT_TO_POINT:
            continue
        at = next((n for n, world in enumerate(worlds) if world.holds(call.pid, call.t_in)), None)
        if at is not None:
            by_key[at, call.group, call.source][call.pid].append(call)
    return tuple(
        _line(worlds[at], group, source, calls, facts.groups)
        for (at, group, source), calls in sorted(by_key.items(), key=lambda each: each[0])
    )


def difference(calls: Sequence[Collective]) -> str | None:
    """What calls of one number differ in: "op", "reduce op", "root", "dtype" or "shape"; else None."""
    for what, values in (
        ("op", {call.op for call in calls}),
        ("reduce op", {call.reduce_op for call in calls if call.reduce_op}),
        ("root", {call.root for call in calls if call.root is not None}),
    ):
        if len(values) > 1:
            return what
    if calls and _brings_alike(calls[0]):
        if len({call.dtypes[:1] for call in calls if call.dtypes}) > 1:
            return "dtype"
        if len({_elements(call) for call in calls if call.shapes}) > 1:
            return "shape"
    return None


def matched_by_group(lines: Sequence[Line]) -> dict[str, int]:
    """Group -> collectives that all its ranks shared, over all worlds of the trial.

    What the flight recorder counted has an entry of its own, where it saw calls that the wrapper did not.
    """
    counts: dict[tuple[str, Source], int] = defaultdict(int)
    seen: dict[tuple[str, Source], int] = defaultdict(int)
    for line in lines:
        counts[line.group, line.source] += line.matched
        seen[line.group, line.source] += line.last
    named = {group: count for (group, source), count in counts.items() if source is Source.WRAPPER}
    for (group, source), count in sorted(counts.items()):
        if source is Source.FLIGHT_RECORDER and count and seen[group, source] > seen[group, Source.WRAPPER]:
            named[f"{group} (flight recorder)"] = count
    return dict(sorted(named.items()))


def entered_by_rank(lines: Sequence[Line]) -> dict[str, dict[int, int]]:
    """Group -> rank -> collectives that it entered, by the wrapper's count, over all worlds."""
    counts: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for line in lines:
        if line.source is Source.WRAPPER:
            for pid in line.members:
                rank = line.world.rank_of(pid)
                if rank is not None:
                    counts[line.group][rank] += len(line.calls.get(pid, {}))
    return {group: dict(sorted(by_rank.items())) for group, by_rank in sorted(counts.items())}


def _line(
    world: World, group: str, source: Source, calls: Mapping[int, list[Collective]], groups: Sequence[Group]
) -> Line:
    ordinals = {pid: _by_ordinal(each) for pid, each in calls.items()}
    members = _members(world, group, ordinals, groups)
    first = max((min(ordinals[pid]) for pid in members if ordinals.get(pid)), default=1)
    return Line(group, source, world, members, ordinals, first)


def _by_ordinal(calls: Sequence[Collective]) -> dict[int, Collective]:
    """Positions among this world's calls; a ring that forgot its beginning keeps its own numbers.

    Numbers go on from an earlier world of the same process and count sends too, so that only their order is
    used, except where the flight recorder's first entry is not its first call.
    """
    ordered = sorted(calls, key=lambda call: (call.number, call.t_in, repr(call)))
    start = ordered[0].number if ordered[0].source is Source.FLIGHT_RECORDER else 1
    return {max(start, 1) + at: call for at, call in enumerate(ordered)}


def _members(
    world: World, group: str, calls: Mapping[int, object], groups: Sequence[Group]
) -> tuple[int, ...]:
    if group == WORLD:
        return tuple(world.pids[rank] for rank in sorted(world.pids))
    told = {
        rank for one in groups if one.name == group and world.holds(one.pid, one.t) for rank in one.ranks
    } & world.pids.keys()
    entered = {rank for rank, pid in world.pids.items() if pid in calls}
    return tuple(world.pids[rank] for rank in sorted(told | entered))


def _brings_alike(call: Collective) -> bool:
    if call.source is Source.FLIGHT_RECORDER:
        return call.op in _ALIKE_IN_RECORDER
    return not call.op.startswith(_ANY_SHAPE)


def _elements(call: Collective) -> tuple[int, ...]:
    counts = []
    for shape in call.shapes[:1]:
        count = 1
        for side in shape:
            count *= side
        counts.append(count)
    return tuple(counts)
