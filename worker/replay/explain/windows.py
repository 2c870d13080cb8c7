"""The window in which a mend of a divergence must stand: after the last call that was shared, before the
next.
"""

from worker.replay.explain.blame import Blame
from worker.replay.explain.exceptions import Known, shown_frames
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import place, position
from worker.replay.facts import Frame, Stack
from worker.replay.trial import Window


def window_of(scene: Scene, blame: Blame, origin: int, raised: Known | None) -> Window:
    """After and before are calls with their sites; frames are those of the project, outer to inner.

    The origin's frames are its exception's, the others' were taken while they waited. A helper that makes
    all calls has one site for all of them, so that callers stand beside it where a stack was taken.
    """
    wait = blame.wait
    frames: dict[int, tuple[Frame, ...]] = {}
    for pid in sorted({origin, wait.pid, *(one.pid for one in blame.cycle)}):
        rank = scene.ranks.of(pid)
        stack = scene.stack_near(pid, blame.t)
        if rank is not None:
            own = raised.raised.frames if raised is not None and pid == origin else _outer_first(stack)
            frames[rank] = shown_frames([one for one in own if one.in_project] or own)
    if not frames.get(scene.ranks.of(wait.pid) or 0) and wait.site is not None:
        rank = scene.ranks.of(wait.pid)
        if rank is not None:
            frames[rank] = shown_frames((wait.site,))
    return Window(
        _after(scene, blame, origin),
        f"{wait.words}{_caller(wait.site, scene.stack_near(wait.pid, blame.t))}",
        frames,
    )


def _after(scene: Scene, blame: Blame, origin: int) -> str | None:
    """The last collective that the origin shared with the rank that waits; the init where there was none."""
    line = blame.wait.line
    if line is not None and blame.wait.ordinal > 1:
        call = line.calls.get(origin, {}).get(blame.wait.ordinal - 1)
        if call is not None:
            return position(call, blame.wait.ordinal - 1)
    init = next((one for one in scene.facts.inits if one.pid == origin and one.t_in <= blame.t), None)
    if init is None:
        return None
    return f"init_process_group at {place(init.site)}" if init.site else "init_process_group"


def _caller(site: Frame | None, stack: Stack | None) -> str:
    """The project's frame around the call's own, where the stack that was taken shows it."""
    if site is None or stack is None:
        return ""
    of_project = [one for one in stack.frames if one.in_project]  # innermost first
    here = next(
        (at for at, one in enumerate(of_project) if one.function == site.function and one.file == site.file),
        None,
    )
    if here is None or here + 1 >= len(of_project):
        return ""
    return f", called from {place(of_project[here + 1])}"


def _outer_first(stack: Stack | None) -> tuple[Frame, ...]:
    return tuple(reversed(stack.frames)) if stack else ()
