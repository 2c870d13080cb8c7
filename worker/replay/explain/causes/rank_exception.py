"""`rank-exception`: the origin's own exception ended it (or its work); others failed only because it was
gone.

Borders. The earliest exception that is neither a consequence nor seen in passing trials, and that got out
of its function: left it uncaught, or was reported. One that a handler dealt with counts only against
passing trials that lack it. The origin has left; while it lives and its peer waits it is `rank-divergence`.
A rank that crashed before comes first. Refused binds are `port-in-use`, failures of init_process_group
`init-failure`, an assertion that fails on all ranks alike `test-assertion`. Without ranks: whatever process
of the test raised it, rank null.
"""

from collections.abc import Sequence

from app.domain.replay_words import CauseKind
from worker.replay.explain.answers import Answer
from worker.replay.explain.exceptions import Known, outermost
from worker.replay.explain.matching import Line
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import listed
from worker.replay.facts import WORLD, Seen, Source

_PAIR = 2


def find(scene: Scene) -> Answer | None:
    raised = earliest(scene)
    if raised is None:
        return None
    alike = same_on_all_ranks(scene, raised)
    if alike and _harmed_only_some(scene, alike):
        return None
    if alike:
        who = listed(scene.ranks.name(one.pid) for one in alike)
        return Answer(
            CauseKind.RANK_EXCEPTION,
            (f"{who} each raised {raised.words()}{_after(scene, raised)}",),
            also=tuple(one.pid for one in alike),
            known=raised,
            facts={"all_ranks": True},
        )
    return Answer(
        CauseKind.RANK_EXCEPTION,
        (
            f"{scene.ranks.name(raised.pid)} raised {raised.words()}{_after(scene, raised)}",
            _end(scene, raised),
        ),
        pid=raised.pid,
        known=raised,
        facts={"matched": _joined(scene, raised)},
    )


def earliest(scene: Scene) -> Known | None:
    """The earliest exception that got out; else, against passing trials, the earliest that was handled.

    The test's own process is asked last (`test_assertion.py`): it only tells what its ranks did.
    """
    outside = [
        one for one in scene.exceptions if one.pid != scene.facts.main and one.raised.seen is not Seen.TEST
    ]
    own = [one for one in outermost(outside) if one.is_own]
    first_crash = min(
        (one.t for one in scene.lives.exits.values() if _is_crash(scene, one.pid)),
        default=scene.facts.ended + 1,
    )
    got_out = [one for one in own if one.got_out and one.began <= first_crash]
    handled = [one for one in own if not one.got_out and scene.knows_background and one.began <= first_crash]
    for candidates in (got_out, handled):
        if scene.facts.bare and _are_several(candidates):
            return None
        if candidates:
            return min(candidates, key=lambda one: (one.began, one.pid, one.raised.identity))
    return None


def same_on_all_ranks(scene: Scene, raised: Known) -> tuple[Known, ...]:
    """The exception of each rank of a world, where all raised the same at the same place; empty otherwise."""
    world = next((one for one in scene.worlds if one.rank_of(raised.pid) is not None), None)
    if world is None or len(world.pids) < _PAIR or world.size > len(world.pids):
        return ()
    found: list[Known] = []
    for _, pid in sorted(world.pids.items()):
        same = next(
            (one for one in scene.own_exceptions(pid) if one.got_out and _is_alike(one, raised)), None
        )
        if same is None:
            return ()
        found.append(same)
    return tuple(found)


def _harmed_only_some(scene: Scene, alike: Sequence[Known]) -> bool:
    """It ended a thread of each, and one of them came to a good end all the same: the failure is another."""
    codes = {scene.lives.code_of(one.pid) for one in alike}
    in_threads = all(
        one.raised.seen is Seen.UNCAUGHT and one.raised.thread not in {"", "MainThread"} for one in alike
    )
    return in_threads and 0 in codes and len(codes) > 1


def _are_several(known: Sequence[Known]) -> bool:
    """Printed by several ranks and not alike: which came first cannot be told from what was printed."""
    return len({one.pid for one in known}) > 1 and len({(one.raised.type, one.place) for one in known}) > 1


def _is_alike(one: Known, other: Known) -> bool:
    """Of one type at one place, and not the one wrapping more than the other."""
    same_chain = (one.raised.cause is None) == (other.raised.cause is None)
    return one.raised.type == other.raised.type and one.place == other.place and same_chain


def _is_crash(scene: Scene, pid: int) -> bool:
    found = scene.lives.exits[pid]
    return found.signal in {4, 6, 7, 8, 11} and scene.lives.sender_of_end(pid) is None


def _after(scene: Scene, raised: Known) -> str:
    matched = _joined(scene, raised)
    return f" after matched WORLD collective number {matched}" if matched else ""


def _joined(scene: Scene, raised: Known) -> int | None:
    """How many collectives of the world group it had entered, as far as the others shared them."""
    line = _world_line(scene.lines, raised)
    if line is None:
        return None
    entered = sum(1 for call in line.calls.get(raised.pid, {}).values() if call.t_in <= raised.raised.t)
    return min(entered, line.matched) or None


def _world_line(lines: Sequence[Line], raised: Known) -> Line | None:
    mine = (
        one
        for one in lines
        if one.group == WORLD
        and one.source is Source.WRAPPER
        and one.world.holds(raised.pid, raised.raised.t)
    )
    return next(mine, None)


def _end(scene: Scene, raised: Known) -> str:
    code = scene.lives.code_of(raised.pid)
    if code is None:
        return ""
    return f"it ended with exit code {code}" if code > 0 else ""
