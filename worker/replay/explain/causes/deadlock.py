"""`deadlock`: threads of one process wait for each other's locks, or a cycle of ranks waits.

Borders. Seen by who held what, or by a process that stood still (no CPU time) with two threads in the
taking of locks when it was ended. A cycle of ranks: each waits in a collective, a send or a receive for
another of them. Not a deadlock: a cycle into which an exception led a rank (divergence), ranks inside one
numbered collective, or one that took the world group for another (mismatch), a rank that waits for one that
waits for nobody.
"""

from collections.abc import Mapping, Sequence

from app.domain.replay_words import CauseKind
from worker.replay.explain.answers import Answer
from worker.replay.explain.blame import Blame, first_blame, raised_before
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import (
    MOST_NAME,
    clean,
    innermost_of_project,
    listed,
    place,
    stable_place,
)
from worker.replay.facts import Frame, LockWait, Sent, Stack

_TWO = 2
_TAKING = {"acquire", "__enter__"}
_MOST_STEPS = 1_000


def find(scene: Scene) -> Answer | None:
    return _by_holders(scene) or _by_stacks(scene) or _of_ranks(scene)


def _by_holders(scene: Scene) -> Answer | None:
    """Threads of one process, each waiting for a lock that the next one holds."""
    by_thread: dict[tuple[int, str], LockWait] = {}
    for wait in sorted(scene.facts.lock_waits, key=lambda one: (one.t, one.pid, one.thread, repr(one))):
        if not _went_on(scene, wait):
            by_thread[wait.pid, wait.thread] = wait
    for start in sorted(by_thread):
        circle = _circle(by_thread, start)
        if circle:
            return _locked(scene, circle)
    return None


def _circle(by_thread: Mapping[tuple[int, str], LockWait], start: tuple[int, str]) -> list[LockWait]:
    found: list[LockWait] = []
    at: tuple[int, str] | None = start
    while at is not None and len(found) < _MOST_STEPS:
        wait = by_thread.get(at)
        if wait is None or wait.holder is None:
            return []
        found.append(wait)
        at = (wait.pid, wait.holder)
        if at == start:
            return found
    return []


def _went_on(scene: Scene, wait: LockWait) -> bool:
    """The thread did something later, so that it did get the lock."""
    calls = any(
        one.pid == wait.pid and one.thread == wait.thread and one.t_in > wait.t
        for one in scene.facts.collectives
    )
    return calls or any(
        one.pid == wait.pid and one.thread == wait.thread and one.t > wait.t for one in scene.facts.raised
    )


def _locked(scene: Scene, circle: Sequence[LockWait]) -> Answer:
    pid = circle[0].pid
    each = [
        f"thread {clean(one.thread, MOST_NAME)} waits{_at(one.site)} for a lock that thread"
        f" {clean(one.holder or '', MOST_NAME)} holds"
        for one in circle
    ]
    sites = sorted(filter(None, (stable_place(one.site) for one in circle)))
    name = scene.ranks.name(pid)
    heading = f"threads of {name} wait for each other's locks"
    if len(circle) == 1:
        heading = f"a thread of {name} waits for a lock that it holds itself"
    return Answer(
        CauseKind.DEADLOCK,
        (heading, *each),
        pid=pid,
        place=sites[0] if sites else None,
        facts={"threads": len(circle)},
    )


def _by_stacks(scene: Scene) -> Answer | None:
    """Two threads in the taking of locks, no CPU time used: as seen when it was ended, or last asked."""
    for sent in scene.lives.sent:
        taking = _taking(sent.target_stacks) if sent.target_cpu_grew is False else []
        if len(taking) >= _TWO:
            return _standing(scene, sent, taking)
    return None


def _taking(stacks: Sequence[Stack]) -> list[tuple[Stack, Frame]]:
    found = []
    for stack in stacks:
        frame = innermost_of_project(tuple(reversed(stack.frames)))
        if stack.frames and frame is not None and (stack.frames[0].function in _TAKING or _takes(frame)):
            found.append((stack, frame))
    return found


def _takes(frame: Frame) -> bool:
    source = (frame.source or "").lower()
    return ".acquire(" in source or (source.startswith("with ") and "lock" in source)


def _standing(scene: Scene, sent: Sent, taking: Sequence[tuple[Stack, Frame]]) -> Answer:
    each = [
        f"thread {clean(stack.thread, MOST_NAME)} takes a lock at {place(frame)}" for stack, frame in taking
    ]
    target, sender = scene.ranks.name(sent.target), scene.ranks.name(sent.sender)
    return Answer(
        CauseKind.DEADLOCK,
        (f"{target} stood still in locks, using no CPU time, when {sender} ended it", *each[:8]),
        pid=sent.target,
        place=min(filter(None, (stable_place(frame) for _, frame in taking)), default=None),
        signal=sent.signal,
        facts={"threads": len(taking), "state": sent.target_state},
    )


def _of_ranks(scene: Scene) -> Answer | None:
    blame = first_blame(scene)
    if blame is None or len(blame.cycle) < _TWO or _was_led(scene, blame):
        return None
    members = [wait.pid for wait in blame.cycle]
    each = [
        f"{scene.ranks.name(wait.pid)} waits in {wait.words} for"
        f" {listed(scene.ranks.name(pid) for pid in wait.awaited if pid in members)}"
        for wait in blame.cycle
    ]
    return Answer(
        CauseKind.DEADLOCK,
        ("the ranks wait for each other", *each[:16]),
        also=tuple(members),
        wait=blame.wait,
        place=min(filter(None, (stable_place(wait.site) for wait in blame.cycle)), default=None),
        facts={"ranks": len(members)},
    )


def _was_led(scene: Scene, blame: Blame) -> bool:
    calls = {wait.pid: wait.call for wait in blame.cycle if wait.call is not None}
    return raised_before(scene, calls) is not None


def _at(frame: Frame | None) -> str:
    return f" at {place(frame)}" if frame else ""
