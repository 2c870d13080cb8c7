"""What a picture of a trial shows: a lane for each process, what stood in it when, and what belongs together.

Times are seconds since the trial began. Which collectives belong together is what the explanation says too.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from worker.replay.bundle.lane_marks import Mark, marks_of
from worker.replay.explain.lives import know_lives
from worker.replay.explain.matching import Line, difference, know_lines
from worker.replay.explain.ranks import Ranks, know_ranks
from worker.replay.explain.worlds import know_worlds
from worker.replay.facts import Collective, Frame, Process, Source, TrialFacts
from worker.replay.trial import Explanation, Thrown

MOST_BARS = 120
"""Of a lane; the last ones are kept, since a failure stands at the end. What is left out is counted."""
MOST_LANES = 64
S = 1e9


class Match(StrEnum):
    """How a collective stands to the same one of the other ranks."""

    MATCHED = "matched"  # every rank of the group entered it
    ALONE = "alone"  # a rank of the group never did
    DIFFERENT = "different"  # in the same place stands another operation, shape or root
    UNKNOWN = "unknown"  # the group's ranks are not known


@dataclass(frozen=True, slots=True)
class Bar:
    """A collective in a lane. `is_open`: it had not come back when the record ended.

    Bars of equal `line` and `ordinal` are the same collective of different ranks.
    """

    begins: float
    ends: float
    name: str
    group: str
    number: int
    line: int
    ordinal: int
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
    """A process of the tree. `left_out` bars came before the ones that are kept."""

    pid: int
    rank: int | None
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
    ranks, lives = know_ranks(facts), know_lives(facts)
    worlds = know_worlds(facts, ranks, lives)
    world_of = {pid: index for index, world in enumerate(worlds) for pid in world.pids.values()}
    placed = _placed(know_lines(facts, worlds))
    drawn = _drawn(facts, ranks, world_of)
    named = explanation.cause.exception
    lanes = tuple(
        _lane(one, facts, clock, placed.get(one.pid, []), ranks.of(one.pid), named)
        for one in drawn[:MOST_LANES]
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


def _drawn(facts: TrialFacts, ranks: Ranks, world_of: Mapping[int, int]) -> list[Process]:
    """Pytest's own process, then each world's ranks in order; others only where something is to be noted."""
    noted = {one.pid for one in facts.exits if one.code != 0} | {one.pid for one in facts.survivors}
    noted |= {facts.main, *ranks.by_pid}

    def order(one: Process) -> tuple[bool, bool, int, int, int]:
        rank = ranks.of(one.pid)
        return (one.pid != facts.main, rank is None, world_of.get(one.pid, 0), rank or 0, one.pid)

    return sorted((one for one in facts.processes if one.pid in noted), key=order)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A collective with the line that it stands in, as an index, and its ordinal there; see `matching`."""

    call: Collective
    line: int
    ordinal: int
    match: Match


def _placed(lines: Sequence[Line]) -> Mapping[int, list[_Placed]]:
    """Every collective by its process, in order of time. Sends and receives stand in no line."""
    found: dict[int, list[_Placed]] = defaultdict(list)
    for index, line in enumerate(lines):
        if _is_told_by_the_wrapper(line, lines):
            continue
        matches = {ordinal: _match(line, ordinal) for calls in line.calls.values() for ordinal in calls}
        for pid, calls in line.calls.items():
            found[pid] += [_Placed(call, index, ordinal, matches[ordinal]) for ordinal, call in calls.items()]
    return {pid: sorted(placed, key=lambda one: one.call.t_in) for pid, placed in found.items()}


def _is_told_by_the_wrapper(line: Line, lines: Sequence[Line]) -> bool:
    """The flight recorder's line says nothing that the wrapper's does not, unless it counted more."""
    if line.source is Source.WRAPPER:
        return False
    own = [one for one in lines if one.source is Source.WRAPPER and one.world is line.world]
    told = [one for one in own if one.group == line.group]
    return any(
        all(len(one.calls.get(pid, {})) >= len(line.calls.get(pid, {})) for pid in line.calls) for one in told
    )


def _match(line: Line, ordinal: int) -> Match:
    calls = line.at(ordinal)
    if difference(list(calls.values())) is not None:
        return Match.DIFFERENT
    if ordinal < line.first or len(line.members) == 1:
        return Match.UNKNOWN
    return Match.MATCHED if len(calls) == len(line.members) else Match.ALONE


def _lane(
    process: Process,
    facts: TrialFacts,
    clock: _Clock,
    placed: Sequence[_Placed],
    rank: int | None,
    named: Thrown | None,
) -> Lane:
    ended = next((one.t for one in facts.exits if one.pid == process.pid), None)
    return Lane(
        pid=process.pid,
        rank=rank,
        title=_title(process, rank, facts),
        begins=clock.at(process.started),
        ends=clock.at(ended),
        bars=tuple(_bar(one, clock) for one in placed[-MOST_BARS:]),
        marks=tuple(marks_of(process, facts, clock.at, named)),
        shades=tuple(_shades(process.pid, facts, clock)),
        left_out=max(0, len(placed) - MOST_BARS),
    )


def _title(process: Process, known: int | None, facts: TrialFacts) -> str:
    who = "pytest" if process.pid == facts.main else process.name or " ".join(process.argv[:2]) or "process"
    rank = "" if known is None else f"rank {known}, "
    unseen = "" if process.observed or facts.bare else ", the probe did not reach it"
    return f"{rank}{who} (pid {process.pid}{unseen})"


def _bar(placed: _Placed, clock: _Clock) -> Bar:
    one = placed.call
    return Bar(
        begins=clock.at(one.t_in),
        ends=clock.at(one.t_in if one.t_out is None and one.source is Source.FLIGHT_RECORDER else one.t_out),
        name=f"{one.op}({one.reduce_op})" if one.reduce_op else one.op,
        group=one.group,
        number=one.number,
        line=placed.line,
        ordinal=placed.ordinal,
        match=placed.match,
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
    """Between a bar and the same one of the next lane that has it."""
    last: dict[tuple[int, int], tuple[int, Bar]] = {}
    for index, lane in enumerate(lanes):
        for bar in lane.bars:
            above = last.get((bar.line, bar.ordinal))
            if above is not None:
                yield Link(above[0], index, above[1].begins, bar.begins, bar)
            last[bar.line, bar.ordinal] = (index, bar)


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
