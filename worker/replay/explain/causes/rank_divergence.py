"""`rank-divergence`: a rank entered, or waits to enter, a collective that its origin will not enter, while
the origin lives; an exception of the origin, if any, is a field.

Borders. That the origin lives is read from its exit and from the peer's time-out: a closed connection, a
destroyed group or an interpreter that exits make it `rank-exception`. That it will not come is shown by an
exception after the last collective that they shared, by its work ending well without that collective, or by
its waiting elsewhere. Without any of these, and if it comes after all, it is late.
"""

from dataclasses import replace

from app.domain.replay_words import CauseKind
from worker.replay.explain.aftermath import what_became
from worker.replay.explain.answers import Answer
from worker.replay.explain.blame import Blame, first_blame, raised_before, raised_instead, was_gone
from worker.replay.explain.exceptions import Known
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import MOST_NAME, clean, stable_place
from worker.replay.explain.waits import Wait
from worker.replay.explain.windows import window_of


def find(scene: Scene) -> Answer | None:
    blame = first_blame(scene)
    if blame is None:
        return None
    if blame.cycle:
        return _into_a_cycle(scene, blame)
    for pid in _nearest_first(blame):
        raised = raised_instead(scene, pid, blame)
        if raised is not None and _stayed_away(scene, pid, blame):
            return _answer(scene, blame, pid, raised, "")
    for pid in _nearest_first(blame):
        why = _went_on_without(scene, pid, blame)
        if why and _stayed_away(scene, pid, blame):
            return _answer(scene, blame, pid, None, why)
    return None


def _nearest_first(blame: Blame) -> tuple[int, ...]:
    return (*blame.direct, *(pid for pid in blame.sinks if pid not in blame.direct))


def _stayed_away(scene: Scene, pid: int, blame: Blame) -> bool:
    return not was_gone(scene, pid, blame) and pid not in blame.wait.came


def _went_on_without(scene: Scene, pid: int, blame: Blame) -> str:
    """It ended its work well after the peer's failure without that collective, or it waits elsewhere."""
    elsewhere = _open_elsewhere(scene, pid, blame)
    if elsewhere is not None:
        return f"it waited in {elsewhere.words} instead"
    process = scene.lives.processes.get(pid)
    ended_well = scene.lives.code_of(pid) == 0 and process is not None
    if ended_well and process is not None and (process.work_done_at or process.exiting_at):
        return "it ended its work without that collective"
    return ""


def _open_elsewhere(scene: Scene, pid: int, blame: Blame) -> Wait | None:
    return next(
        (
            one
            for one in scene.waits
            if one.pid == pid and not one.awaited and not one.failed and one.t_in <= blame.t <= one.until
        ),
        None,
    )


def _into_a_cycle(scene: Scene, blame: Blame) -> Answer | None:
    """An exception led one of the ranks into another collective, and now each waits for the other."""
    calls = {wait.pid: wait.call for wait in blame.cycle if wait.call is not None}
    raised = raised_before(scene, calls)
    if raised is None:
        return None
    own = next(wait for wait in blame.cycle if wait.pid == raised.pid)
    lonely = next((wait for wait in blame.cycle if raised.pid in wait.awaited), blame.wait)
    turned = Blame(lonely, blame.t, (raised.pid,), (), (raised.pid,))
    return _answer(scene, turned, raised.pid, raised, f"it waits in {own.words} instead")


def _for_whom(scene: Scene, blame: Blame, pid: int) -> Wait:
    """The wait that this very process was to join; the first of all may have waited for it through others."""
    if pid in blame.wait.awaited:
        return blame.wait
    through = (one for one in scene.waits if pid in one.awaited and one.t_in <= blame.t)
    return next(through, blame.wait)


def _after(wait: Wait) -> str:
    if wait.call is None or wait.line is None:
        return ""
    group = clean(wait.call.group, MOST_NAME)
    if wait.ordinal == 1:
        return f" before any {group} collective"
    return f" after matched {group} collective number {wait.ordinal - 1}"


def _answer(scene: Scene, blame: Blame, pid: int, raised: Known | None, why: str) -> Answer:
    wait = _for_whom(scene, blame, pid)
    blame = replace(blame, wait=wait)
    name = scene.ranks.name(pid)
    did = f"{name} {f'raised {raised.words()}' if raised else 'went another way'}{_after(wait)}"
    alive = "when its peer gave up" if wait.failed else "when the trial was ended"
    return Answer(
        CauseKind.RANK_DIVERGENCE,
        (did, what_became(scene, wait.pid), f"{name} never entered it and was still alive {alive}", why),
        pid=pid,
        known=raised,
        wait=wait,
        window=window_of(scene, blame, pid, raised),
        place=raised.place if raised else stable_place(wait.site),
        facts={
            "matched": wait.ordinal - 1 if wait.line else None,
            "entered_alone_by": scene.ranks.of(wait.pid),
            "origin_alive": True,
            "provisional": not wait.failed,
            "waited_s": round(max(wait.until - wait.t_in, 0) / 1e9, 3),
        },
    )
