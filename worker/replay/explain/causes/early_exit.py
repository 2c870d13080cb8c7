"""`early-exit`: a rank left cleanly (exit code 0, group destroyed) while another still needed it.

Borders. It raised nothing, and it had left when the other failed: its exit, the beginning of it, or its
destroying of the group comes first. What the other needed is a collective, a store operation or the rest of
its init; the store's host is rank 0. An exit code other than 0 is an exception's or a crash's. Init and
destroy alone are no barrier, so that a rank may leave before the other has even connected.
"""

from app.domain.replay_words import CauseKind
from worker.replay.explain.aftermath import what_became
from worker.replay.explain.answers import Answer
from worker.replay.explain.blame import follow
from worker.replay.explain.consequences import Lost
from worker.replay.explain.lives import SLACK_NS
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import seconds, stable_place
from worker.replay.explain.waits import Kind, Wait

_HOST = 0


def find(scene: Scene) -> Answer | None:
    for wait in scene.waits:
        if (wait.failed and wait.lost is not Lost.AFTERMATH) or (wait.awaited and not wait.failed):
            origin = _leaver(scene, wait)
            return _answer(scene, wait, *origin) if origin is not None else None
    return None


def _leaver(scene: Scene, wait: Wait) -> tuple[int, str] | None:
    awaited = follow(scene, wait).sinks if wait.awaited and wait.kind is not Kind.INIT else ()
    for pid in awaited:
        if _left_cleanly(scene, pid, wait) and (wait.kind is not Kind.INIT or _called_init(scene, pid)):
            return pid, ""
    if wait.kind in {Kind.STORE, Kind.INIT} and wait.lost is Lost.CLOSED:
        others = [pid for pid in _others(scene, wait) if _left_cleanly(scene, pid, wait)]
        hosts = [pid for pid in others if scene.ranks.of(pid) == _HOST]
        if hosts:
            return hosts[0], ", which hosts the store,"
        if wait.kind is Kind.INIT and others:
            return others[0], ""
    return None


def _others(scene: Scene, wait: Wait) -> list[int]:
    world = next((one for one in scene.worlds if one.holds(wait.pid, wait.t_in)), None)
    members = world.pids.values() if world else scene.workers
    return sorted(
        (pid for pid in members if pid != wait.pid), key=lambda pid: (scene.ranks.of(pid) or 0, pid)
    )


def _left_cleanly(scene: Scene, pid: int, wait: Wait) -> bool:
    if scene.lives.left_at(pid) > wait.until + SLACK_NS or scene.lives.code_of(pid) not in {0, None}:
        return False
    return not any(one.got_out for one in scene.own_exceptions(pid))


def _called_init(scene: Scene, pid: int) -> bool:
    return any(init.pid == pid for init in scene.facts.inits)


def _answer(scene: Scene, wait: Wait, pid: int, host: str) -> Answer:
    left = scene.lives.left_at(pid)
    code = scene.lives.code_of(pid)
    how = "left cleanly (exit code 0)" if code == 0 else "destroyed its group"
    before = max(wait.until - left, 0)
    end = "failed" if wait.failed else "was ended in waiting for it"
    name, peer = scene.ranks.name(pid), scene.ranks.name(wait.pid)
    return Answer(
        CauseKind.EARLY_EXIT,
        (
            f"{name}{host} {how} {seconds(before)} before {peer}, which still needed it, {end}",
            what_became(scene, wait.pid),
        ),
        pid=pid,
        wait=wait,
        place=stable_place(wait.site),
        facts={"left_before_s": round(before / 1e9, 3), "hosts_store": bool(host)},
    )
