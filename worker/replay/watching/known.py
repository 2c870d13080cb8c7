"""What is known of the ranks when one is named: where each is, and what the missing ones raised.

It is read as the explainer reads it at the trial's end, of what stands in the journals by now.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from worker.replay.explain.exceptions import know_exceptions, outermost, shown_frames, thrown
from worker.replay.explain.sentences import place
from worker.replay.facts import Collective, Frame, Raised, Source, Stack, TrialFacts, name_and_life
from worker.replay.observed import Absent, Naming
from worker.replay.reading.journals import Journals
from worker.replay.trial import Position, Thrown
from worker.replay.watching.waits import Lonely, Moment, by_rank, of_last_world

CLOCK_NS: Final = 20_000_000
"""By so much a file's time may lie behind ours: the kernel's stamps are coarse."""


def naming(what: str, lonely: Lonely, moment: Moment, journals: Journals) -> Naming:
    """Name it with everything that is known by now."""
    at = lonely.at
    stacks = _taken_since(lonely.since, journals.stacks)
    return Naming(
        moment.t,
        what,
        lonely.pid,
        lonely.rank,
        at.group,
        at.number,
        at.op,
        lonely.since,
        lonely.missing,
        lonely.proof,
        at.reduce_op,
        place(at.site) if at.site else None,
        stacks.get(lonely.pid, ()),
        tuple(_absent(rank, lonely, moment, journals.raised, stacks) for rank in lonely.missing),
    )


def have_answered(asked_at: int, lonely: Lonely, moment: Moment, journals: Journals) -> bool:
    """Whether everybody who is concerned and lives has written down where it is since it was asked."""
    ranks = by_rank(moment.processes)
    concerned = {lonely.pid, *(ranks[one].pid for one in lonely.missing if one in ranks)}
    living = concerned - moment.exits.keys()
    return living <= _taken_since(asked_at, journals.stacks).keys()


def _absent(
    rank: int,
    lonely: Lonely,
    moment: Moment,
    raised: Sequence[Raised],
    stacks: Mapping[int, tuple[Frame, ...]],
) -> Absent:
    process = by_rank(moment.processes).get(rank)
    if process is None:
        return Absent(rank)
    last = _last_of(process.pid, lonely.at.group, moment)
    return Absent(
        rank,
        _position(last, rank) if last else None,
        last is not None and last.t_out is None and not last.is_async,
        last is not None and _is_matched(last, lonely.pid, moment),
        _raised(process.pid, last.t_in if last else process.started, raised),
        stacks.get(process.pid, ()),
    )


def _last_of(pid: int, group: str, moment: Moment) -> Collective | None:
    """Its last call of that group by the wrapper's count, in whichever of its worlds it is now."""
    name = name_and_life(group)[0]
    calls = [
        one
        for one in of_last_world(moment)
        if one.pid == pid and one.source is Source.WRAPPER and name_and_life(one.group)[0] == name
    ]
    return max(calls, key=lambda one: one.t_in, default=None)


def _is_matched(last: Collective, waiting: int, moment: Moment) -> bool:
    """Whether the waiting rank made the same call of that number, and neither's failed or still goes on."""
    theirs = (_shape_of(one) for one in of_last_world(moment) if one.pid == waiting and _is_through(one))
    return _is_through(last) and _shape_of(last) in theirs


def _is_through(call: Collective) -> bool:
    return call.source is Source.WRAPPER and call.t_out is not None and call.error is None


def _shape_of(call: Collective) -> tuple[str, int, str, str | None]:
    return name_and_life(call.group)[0], call.number, call.op, call.reduce_op


def _position(call: Collective, rank: int) -> Position:
    site = place(call.site) if call.site else None
    return Position(call.group, call.number, call.op, call.reduce_op, site, rank)


def _raised(pid: int, since: int, raised: Sequence[Raised]) -> Thrown | None:
    """Its own exception: one that got out before one that a handler holds, of several the earliest."""
    mine = tuple(one for one in raised if one.pid == pid and one.t >= since)
    facts = TrialFacts(bare=False, began=0, ended=0, main=0, raised=mine)
    own = [one for one in outermost(know_exceptions(facts, {})) if one.is_own]
    first = min(own, key=lambda one: (not one.got_out, one.began, one.raised.identity), default=None)
    return thrown(first) if first else None


def _taken_since(t: int, stacks: Sequence[Stack]) -> dict[int, tuple[Frame, ...]]:
    """Each process's main thread as it was written down last; none of those that were not written since."""
    return {
        one.pid: shown_frames(one.frames)
        for one in stacks
        if one.is_current and one.reason == "asked" and one.frames and one.t >= t - CLOCK_NS
    }
