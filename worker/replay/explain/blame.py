"""From a wait to whom it was for: waits are followed from rank to rank until one that waited for nobody."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worker.replay.explain.consequences import Lost
from worker.replay.explain.exceptions import Known
from worker.replay.explain.lives import SLACK_NS
from worker.replay.explain.scene import Scene
from worker.replay.explain.waits import Kind, Wait
from worker.replay.facts import Collective


@dataclass(frozen=True, slots=True)
class Blame:
    """`wait` is the first that failed, or the oldest that never ended; `t` its last moment."""

    wait: Wait
    t: int
    sinks: tuple[int, ...]  # processes that had not come and waited for nobody themselves
    cycle: tuple[Wait, ...]  # waits that lead back to each other; empty where there is a sink
    direct: tuple[int, ...]  # sinks that `wait` itself was for


def first_blame(scene: Scene, kinds: Sequence[Kind] = (Kind.COLLECTIVE, Kind.PAIR)) -> Blame | None:
    """Follow the first wait that others had not joined."""
    wait = next((one for one in scene.waits if one.awaited and one.kind in kinds), None)
    return follow(scene, wait) if wait is not None else None


def follow(scene: Scene, wait: Wait) -> Blame:
    """At the moment when `wait` failed or was last seen."""
    t = wait.until
    chain = [wait]
    seen = {wait.pid: wait}
    sinks: list[int] = []
    while chain:
        current = chain.pop()
        for pid in current.awaited:
            if pid in seen or pid in sinks:
                continue
            own = _waiting(scene, pid, t)
            if own is None:
                sinks.append(pid)
            else:
                seen[pid] = own
                chain.append(own)
    cycle = (
        ()
        if sinks
        else tuple(seen[pid] for pid in sorted(seen, key=lambda one: (scene.ranks.of(one) or 0, one)))
    )
    ordered = tuple(sorted(sinks, key=lambda pid: (scene.ranks.of(pid) or 0, pid)))
    return Blame(wait, t, ordered, cycle, tuple(pid for pid in ordered if pid in wait.awaited))


def _waiting(scene: Scene, pid: int, t: int) -> Wait | None:
    """What that process was waiting in then for somebody; a wait that failed a moment before counts."""
    return next(
        (
            one
            for one in scene.waits
            if one.pid == pid and one.awaited and one.t_in <= t and one.until + SLACK_NS >= t
        ),
        None,
    )


def was_gone(scene: Scene, pid: int, blame: Blame) -> bool:
    """Whether the awaited process had left by then, with its exit or its side of the group.

    A time-out proves that its connection still stood, a closed connection that it did not.
    """
    if blame.wait.lost is Lost.CLOSED:
        return True
    slack = SLACK_NS if blame.wait.failed and blame.wait.lost is not Lost.TIMED_OUT else 0
    return scene.lives.left_at(pid) <= blame.t + slack


def raised_instead(scene: Scene, pid: int, blame: Blame) -> Known | None:
    """The exception that the awaited process raised after its last collective of that group, before `t`.

    One that got out of its function is preferred to one that a handler saw; of several the earliest.
    """
    since = last_joined(scene, pid, blame)
    found = [one for one in scene.own_exceptions(pid, blame.t + SLACK_NS) if one.raised.t >= since]
    return min(found, key=lambda one: (not one.got_out, one.began, one.raised.identity), default=None)


def last_joined(scene: Scene, pid: int, blame: Blame) -> int:
    """When it entered the collective before the one that it was awaited in."""
    line = blame.wait.line
    if line is None:
        return scene.facts.began if blame.wait.kind is Kind.INIT else 0
    before = [call.t_in for call in line.calls.get(pid, {}).values() if call.t_in <= blame.t]
    return max(before, default=0)


def raised_before(scene: Scene, calls: Mapping[int, Collective]) -> Known | None:
    """An exception that one of these processes had raised between its call and the one before it.

    One that a handler dealt with counts only where passing trials can tell what is background.
    """
    found: list[Known] = []
    for pid, call in calls.items():
        earlier = [one.t_in for one in scene.facts.collectives if one.pid == pid and one.t_in < call.t_in]
        since = max(earlier, default=0)
        found += [
            one
            for one in scene.own_exceptions(pid, call.t_in)
            if one.raised.t >= since and (one.got_out or scene.knows_background)
        ]
    return min(
        found, key=lambda one: (not one.got_out, one.began, one.pid, one.raised.identity), default=None
    )
