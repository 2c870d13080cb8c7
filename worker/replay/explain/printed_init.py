"""An init that failed in a bare trial, as far as the workers' printed tracebacks show it."""

from worker.replay.explain.consequences import Lost
from worker.replay.explain.exceptions import Known
from worker.replay.explain.scene import Scene

_INIT = "init_process_group"


def failed_init(scene: Scene) -> Known | None:
    """The first worker's exception, where it lost its peer within init and no rank can have been merely late.

    A lost connection shows that the peer had come; a time-out counts only where all others had ended well
    before. Where any worker ended badly without a word, nothing is said: it may be what the others lost.
    """
    if not scene.facts.bare or scene.facts.inits:
        return None
    ended = {pid: scene.lives.exits[pid] for pid in scene.workers if pid in scene.lives.exits}
    printed = sorted(
        (one for one in scene.exceptions if one.pid in ended and one.pid != scene.facts.main),
        key=lambda one: (ended[one.pid].t, one.pid),
    )
    told = {one.pid for one in printed}
    if not printed or any(end.code != 0 and pid not in told for pid, end in ended.items()):
        return None
    first = printed[0]
    if not any(frame.function == _INIT for frame in first.raised.frames):
        return None
    others_left = all(
        end.code == 0 and end.t < ended[first.pid].t for pid, end in ended.items() if pid != first.pid
    )
    return first if first.lost is Lost.CLOSED or (first.lost is Lost.TIMED_OUT and others_left) else None
