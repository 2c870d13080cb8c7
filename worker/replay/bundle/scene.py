"""What a picture of a trial shows: a lane for each process, what stood in it when, and what belongs together.

Times are seconds since the trial began. Whether a collective was matched is asked per group, number and
source, since the wrapper and the flight recorder number differently.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from worker.replay.bundle.lane_marks import Mark, marks_of
from worker.replay.facts import Collective, Frame, Process, Source, TrialFacts
from worker.replay.trial import Explanation

MOST_BARS = 120
"""Of a lane; the last ones are kept, since a failure stands at the end. What is left out is counted."""
MOST_LANES = 64
S = 1e9

_Key = tuple[int, str, int, Source]
"""pid, group, number, source: one collective of one process."""


class Match(StrEnum):
    """How a collective stands to the same one of the other ranks."""

    MATCHED = "matched"  # every rank of the group entered it
    ALONE = "alone"  # a rank of the group never did
    DIFFERENT = "different"  # in the same place stands another operation, shape or root
    UNKNOWN = "unknown"  # the group's ranks are not known


@dataclass(frozen=True, slots=True)
class Bar:
    """A collective in a lane. `is_open`: it had not come back when the record ended."""

    begins: float
    ends: float
    name: str
    group: str
    number: int
    match: Match
    source: Source
    is_open: bool
    has_failed: bool
    site: str


@dataclass(frozen=True, slots=True)
class Shade:
    """A time in which the process, or the whole tree, was held still."""

    begins: float
    ends: float
    kind: str  # "paused" or "throttled"
    words: str


@dataclass(frozen=True, slots=True)
class Lane:
    """A process of the tree. `left_out` bars came before the ones that are kept.

    `world` counts from 0 the worlds that one test starts after each other: each has its own rank 0.
    """

    pid: int
    rank: int | None
    world: int
    title: str
    begins: float
    ends: float
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...]
    shades: tuple[Shade, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Link:
    """The same collective in two lanes next to each other: their indices and when each entered it."""

    upper: int
    lower: int
    upper_at: float
    lower_at: float
    bar: Bar


@dataclass(frozen=True, slots=True)
class Divergence:
    """From here on the ranks went different ways."""

    at: float
    words: str


@dataclass(frozen=True, slots=True)
class Scene:
    lanes: tuple[Lane, ...]
    links: tuple[Link, ...]
    seconds: float
    divergence: Divergence | None
    lanes_left_out: int


def scene_of(facts: TrialFacts, explanation: Explanation) -> Scene:
    """Total on any facts: what is out of the trial's time is drawn at its edge."""
    clock = _Clock(facts.began, max(facts.ended, facts.began + 1))
    worlds = _worlds(facts.processes)
    drawn = _drawn(facts, worlds)
    matches = _matches(facts, worlds)
    lanes = tuple(
        _lane(one, facts, clock, matches, worlds[one.pid], explanation) for one in drawn[:MOST_LANES]
    )
    return Scene(
        lanes=lanes,
        links=tuple(_links(lanes)),
        seconds=clock.seconds,
        divergence=_divergence(explanation, lanes),
        lanes_left_out=max(0, len(drawn) - MOST_LANES),
    )


@dataclass(frozen=True, slots=True)
class _Clock:
    began: int
    ended: int

    @property
    def seconds(self) -> float:
        return (self.ended - self.began) / S

    def at(self, t: int | None) -> float:
        """Seconds since the beginning; the end for what has no end."""
        return (min(max(self.ended if t is None else t, self.began), self.ended) - self.began) / S


def _drawn(facts: TrialFacts, worlds: Mapping[int, int]) -> list[Process]:
    """Pytest's own process, then each world's ranks in order; others only where something is to be noted."""
    noted = {one.pid for one in facts.exits if one.code != 0} | {one.pid for one in facts.survivors}
    kept = [
        one for one in facts.processes if one.rank is not None or one.pid == facts.main or one.pid in noted
    ]

    def order(one: Process) -> tuple[bool, bool, int, int, int]:
        return (one.pid != facts.main, one.rank is None, worlds[one.pid], one.rank or 0, one.pid)

    return sorted(kept, key=order)


def _worlds(processes: Iterable[Process]) -> dict[int, int]:
    """How many processes had the same rank before each: the ranks of one world were started together."""
    seen: dict[int | None, int] = defaultdict(int)
    found = {}
    for one in sorted(processes, key=lambda one: (one.started, one.pid)):
        found[one.pid] = seen[one.rank] if one.rank is not None else 0
        seen[one.rank] += 1
    return found


def _matches(facts: TrialFacts, worlds: Mapping[int, int]) -> Mapping[_Key, Match]:
    members = {(worlds.get(one.pid, 0), one.name): frozenset(one.ranks) for one in facts.groups}
    rank = {one.pid: one.rank for one in facts.processes}
    together: dict[tuple[int, str, int, Source], list[Collective]] = defaultdict(list)
    for one in facts.collectives:
        together[worlds.get(one.pid, 0), one.group, one.number, one.source].append(one)
    found = {}
    for (world, group, number, source), ones in together.items():
        match = _match(ones, members.get((world, group)), rank)
        found.update({(one.pid, group, number, source): match for one in ones})
    return found


def _match(
    ones: Sequence[Collective], members: frozenset[int] | None, rank: Mapping[int, int | None]
) -> Match:
    if len({(one.op, one.reduce_op, one.root, one.dtypes) for one in ones}) > 1:
        return Match.DIFFERENT
    there = {rank.get(one.pid) for one in ones}
    if members is None:
        return Match.MATCHED if len(there) > 1 else Match.UNKNOWN
    return Match.MATCHED if members <= there else Match.ALONE


def _lane(
    process: Process,
    facts: TrialFacts,
    clock: _Clock,
    matches: Mapping[_Key, Match],
    world: int,
    explanation: Explanation,
) -> Lane:
    mine = sorted((one for one in facts.collectives if one.pid == process.pid), key=lambda one: one.t_in)
    ended = next((one.t for one in facts.exits if one.pid == process.pid), None)
    return Lane(
        pid=process.pid,
        rank=process.rank,
        world=world,
        title=_title(process, facts),
        begins=clock.at(process.started),
        ends=clock.at(ended),
        bars=tuple(_bar(one, clock, matches, facts.ended) for one in mine[-MOST_BARS:]),
        marks=tuple(marks_of(process, facts, clock.at, explanation.cause.exception)),
        shades=tuple(_shades(process.pid, facts, clock)),
        left_out=max(0, len(mine) - MOST_BARS),
    )


def _title(process: Process, facts: TrialFacts) -> str:
    who = "pytest" if process.pid == facts.main else process.name or " ".join(process.argv[:2]) or "process"
    rank = "" if process.rank is None else f"rank {process.rank}, "
    unseen = "" if process.observed or facts.bare else ", the probe did not reach it"
    return f"{rank}{who} (pid {process.pid}{unseen})"


def _bar(one: Collective, clock: _Clock, matches: Mapping[_Key, Match], ended: int) -> Bar:
    return Bar(
        begins=clock.at(one.t_in),
        ends=clock.at(ended if one.t_out is None else one.t_out),
        name=f"{one.op}({one.reduce_op})" if one.reduce_op else one.op,
        group=one.group,
        number=one.number,
        match=matches[one.pid, one.group, one.number, one.source],
        source=one.source,
        is_open=one.t_out is None and one.source is Source.WRAPPER,
        has_failed=one.error is not None,
        site=place(one.site),
    )


def place(frame: Frame | None) -> str:
    return f"{frame.file}:{frame.line} in {frame.function}" if frame else ""


def _shades(pid: int, facts: TrialFacts, clock: _Clock) -> Iterable[Shade]:
    for pause in facts.pauses:
        if pause.pid == pid:
            length = (pause.t_out - pause.t_in) / 1e6
            yield Shade(clock.at(pause.t_in), clock.at(pause.t_out), "paused", f"paused for {length:.0f} ms")
    for one in facts.throttling:
        stood = f"the quota held the tree still for {one.stood_ns / 1e6:.0f} ms here"
        yield Shade(clock.at(one.t_in), clock.at(one.t_out), "throttled", stood)


def _links(lanes: Sequence[Lane]) -> Iterable[Link]:
    """Between a bar and the same one of the next lane of its world that has it."""
    last: dict[tuple[int, str, int, Source], tuple[int, Bar]] = {}
    for index, lane in enumerate(lanes):
        for bar in lane.bars:
            key = (lane.world, bar.group, bar.number, bar.source)
            above = last.get(key)
            if above is not None and above[0] != index:
                yield Link(above[0], index, above[1].begins, bar.begins, bar)
            last[key] = (index, bar)


def _divergence(explanation: Explanation, lanes: Sequence[Lane]) -> Divergence | None:
    """Where the collective that the explanation names was entered first, if it was drawn."""
    named = explanation.cause.collective
    if named is None:
        return None
    entered = [
        bar.begins
        for lane in lanes
        for bar in lane.bars
        if (bar.group, bar.number) == (named.group, named.number) and bar.match is not Match.MATCHED
    ]
    if not entered:
        return None
    return Divergence(
        min(entered), f"{explanation.cause.kind.value}: {named.op} number {named.number} on {named.group}"
    )
