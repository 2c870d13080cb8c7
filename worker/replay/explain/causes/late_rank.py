"""`late-rank`: the origin raised nothing and arrived after the other's deadline; throttling is added only
when measured.

Borders. The origin lived at the deadline, and either came after it or was still on its way when the record
ends; an own exception makes it divergence. The deadline is that of a collective, a receive, a store key, an
init, or the patience of the process that ended the waiting rank. A wait that never ended says nothing of
lateness, unless the origin was seen to be running. Neither a rank that had left (`early-exit`) nor one that
never calls init is late.
"""

from app.domain.replay_words import CauseKind
from worker.replay.explain.aftermath import what_became
from worker.replay.explain.answers import Answer
from worker.replay.explain.blame import Blame, follow, raised_instead, was_gone
from worker.replay.explain.causes.terminated_slow import is_progressing, running_frame
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import listed, place, seconds, stable_place
from worker.replay.explain.waits import Kind, Wait
from worker.replay.facts import Frame


def find(scene: Scene) -> Answer | None:
    for wait in scene.waits:
        if wait.awaited:
            return _late(scene, follow(scene, wait))
    return _unset_key(scene)


def _late(scene: Scene, blame: Blame) -> Answer | None:
    late = [pid for pid in blame.sinks if _is_late(scene, pid, blame)]
    if not late or (
        len(late) < len(blame.direct) and any(pid in blame.direct for pid in blame.sinks if pid not in late)
    ):
        return None
    came = {pid: blame.wait.came.get(pid) for pid in late}
    last = max(late, key=lambda pid: (came[pid] is None, came[pid] or 0, -pid))
    is_one = len(late) == 1 or (came[last] is not None and len(set(came.values())) == len(late))
    return _answer(scene, blame.wait, last if is_one else None, tuple(late), came[last] if is_one else None)


def _is_late(scene: Scene, pid: int, blame: Blame) -> bool:
    if was_gone(scene, pid, blame):
        return False
    if pid in blame.wait.came:
        return True
    raised = raised_instead(scene, pid, blame)
    if raised is not None or (blame.wait.kind is Kind.INIT and not _was_working(scene, pid)):
        return False
    return blame.wait.failed or _was_working(scene, pid)


def _was_working(scene: Scene, pid: int) -> bool:
    """Seen running when somebody ended it."""
    return any(one.target == pid and one.sender != pid and is_progressing(one) for one in scene.lives.sent)


def _unset_key(scene: Scene) -> Answer | None:
    """A store key that nobody had set in time, where passing trials or the world's size tell who should."""
    wait = next(
        (one for one in scene.waits if one.kind is Kind.STORE and one.failed and not one.awaited), None
    )
    if wait is None:
        return None
    owner = _owner(scene, wait)
    if owner is None or scene.lives.left_at(owner) <= wait.until or scene.own_exceptions(owner, wait.until):
        return None
    return _answer(scene, wait, owner, (owner,), None)


def _owner(scene: Scene, wait: Wait) -> int | None:
    setters = {
        process.rank
        for facts in scene.passing
        for call in facts.store_calls
        if call.op == "set" and call.key == wait.key
        for process in facts.processes
        if process.pid == call.pid and process.rank is not None
    }
    others = [pid for pid in scene.workers if pid != wait.pid]
    named = [pid for pid in others if scene.ranks.of(pid) in setters]
    if len(named) == 1:
        return named[0]
    if setters or len(others) != 1 or scene.lives.code_of(others[0]) == 0:
        return None  # one that ended well did all its work, and to set the key was no part of it
    return others[0]


def _answer(scene: Scene, wait: Wait, pid: int | None, late: tuple[int, ...], came: int | None) -> Answer:
    names = listed(scene.ranks.name(one) for one in late)
    origin = pid if pid is not None else None
    if came is not None:
        arrived = f"{names} came {seconds(came - wait.until)} after {scene.ranks.name(wait.pid)} had given up"
    else:
        arrived = f"{names} had not come and raised nothing"
    where = _where(scene, origin, wait.until) if origin is not None else None
    doing = f"it was in {place(where)}" if where else ""
    return Answer(
        CauseKind.LATE_RANK,
        (
            arrived,
            what_became(scene, wait.pid),
            f"{names} lived and raised nothing" if came is not None else "",
            doing,
            *_measured(scene, origin, wait),
        ),
        pid=origin,
        also=late,
        wait=wait,
        place=stable_place(wait.site),
        facts={
            "late_s": round((came - wait.until) / 1e9, 3) if came is not None else None,
            "periods": scene.facts.usage.periods,
            "throttled_periods": scene.facts.usage.throttled_periods,
        },
    )


def _where(scene: Scene, pid: int, t: int) -> Frame | None:
    stack = scene.stack_near(pid, t)
    return running_frame((stack,)) if stack is not None else None


def _measured(scene: Scene, pid: int | None, wait: Wait) -> tuple[str, ...]:
    """Why it was late, as far as that was measured: the quota's own counter, or the arm's own pauses."""
    usage = scene.facts.usage
    told: list[str] = []
    if usage.throttled_periods and usage.periods:
        told.append(f"the tree was throttled in {usage.throttled_periods} of {usage.periods} periods")
    paused = sum(
        max(min(one.t_out, wait.until) - max(one.t_in, wait.t_in), 0)
        for one in scene.facts.pauses
        if one.pid == pid
    )
    if paused > 0:
        told.append(
            f"{scene.ranks.name(pid) if pid is not None else 'it'} was paused for {seconds(paused)} meanwhile"
        )
    return tuple(told)
