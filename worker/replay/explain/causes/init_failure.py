"""`init-failure`: init or rendezvous failed and no rank was merely late; a rank never called it, wrong
address, refused.

Borders. A rank that called it after the others had given up is `late-rank`; one that had left cleanly after
its own init is `early-exit`; EADDRINUSE is `port-in-use`; one that raised before it called is
`rank-exception`. A rank that never called counts only if it ended by itself or was not seen to be working
towards it.
"""

from app.domain.replay_words import CauseKind
from worker.replay.explain.answers import Answer
from worker.replay.explain.causes.rank_exception import earliest
from worker.replay.explain.exceptions import Known
from worker.replay.explain.printed_init import failed_init
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import MOST_NAME, clean, listed, place, seconds, stable_place
from worker.replay.explain.waits import Kind, Wait
from worker.replay.explain.worlds import World


def find_own(scene: Scene) -> Answer | None:
    """An exception of its own that ended init_process_group: wrong arguments, an address that is none."""
    raised = earliest(scene)
    if raised is None or not _ended_init(scene, raised):
        return None
    return Answer(
        CauseKind.INIT_FAILURE,
        (f"init_process_group failed: {scene.ranks.name(raised.pid)} raised {raised.words()}",),
        pid=raised.pid,
        known=raised,
    )


def find(scene: Scene) -> Answer | None:
    """Ranks that waited in it in vain, and nobody was late."""
    wait = next((one for one in scene.waits if one.kind is Kind.INIT), None)
    world = _world_of(scene, wait)
    if wait is None or world is None:
        return _printed(scene)
    if not wait.failed and not (scene.facts.timed_out or scene.lives.sender_of_end(wait.pid)):
        return None
    did = "failed" if wait.failed else "was still waiting"
    length = seconds(max(wait.until - wait.t_in, 0))
    failed = f"{scene.ranks.name(wait.pid)} {did} in {wait.words} after {length}"
    silent = tuple(pid for pid in wait.awaited if pid not in wait.came)
    addresses = sorted({init.address for init in world.inits.values() if init.address})
    known = _raised(scene, wait)
    if silent:
        names = listed(scene.ranks.name(pid) for pid in silent)
        why, pid = f"{names} never called it", silent[0] if len(silent) == 1 else None
    elif len(addresses) > 1:
        said = listed(clean(one, MOST_NAME) for one in addresses)
        why, pid = f"the ranks were given different addresses: {said}", None
    elif world.size > len(world.pids):
        why, pid = f"only {len(world.pids)} of {world.size} ranks were there", None
    elif wait.failed:
        why, pid = f"it {known.lost}" if known else "", wait.pid  # not torch's guess of a crash
    else:
        return None  # all were on their way when somebody ended them: nothing had failed
    return Answer(
        CauseKind.INIT_FAILURE,
        (why, failed) if silent else (failed, why),
        pid=pid,
        also=silent,
        known=known if not silent else None,
        wait=wait,
        place=stable_place(wait.site),
        facts={"world": world.size, "called": len(world.inits)},
    )


def _printed(scene: Scene) -> Answer | None:
    """Of a bare trial; which rank the origin is cannot be seen there."""
    known = failed_init(scene)
    if known is None:
        return None
    site = f" at {place(known.frame)}" if known.frame else ""
    what = f"{scene.ranks.name(known.pid)} {known.lost or 'failed'} in init_process_group{site}"
    return Answer(CauseKind.INIT_FAILURE, (what,), known=known, place=known.place)


def _ended_init(scene: Scene, raised: Known) -> bool:
    return any(
        init.pid == raised.pid
        and init.error is not None
        and (
            init.error == raised.raised.identity
            or init.t_in <= raised.raised.t <= (init.t_out or raised.raised.t)
        )
        for init in scene.facts.inits
    )


def _world_of(scene: Scene, wait: Wait | None) -> World | None:
    if wait is None:
        return None
    return next(
        (one for one in scene.worlds if one.rank_of(wait.pid) is not None and one.holds(wait.pid, wait.t_in)),
        None,
    )


def _raised(scene: Scene, wait: Wait) -> Known | None:
    mine = (one for one in scene.exceptions if one.pid == wait.pid and one.raised.t >= wait.t_in)
    return next((one for one in mine if one.lost is not None), None)
