"""`collective-mismatch`: ranks are in the same numbered collective of a group with another op, shape, dtype,
root or group.

Borders. It comes before a crash, because Gloo aborts the process that receives more than it expected. Not a
mismatch: a rank that enters its next collective after the other had given up (late), ranks that wait in
different collectives of different groups (a deadlock, unless one of them took the world group for the same
call), sends and receives. What passing trials do too is no mismatch. Nobody is called the culprit, unless one
of three or more ranks stands alone against the rest.
"""

from collections import defaultdict
from collections.abc import Sequence

from app.domain.replay_words import CauseKind
from worker.replay.explain.answers import Answer
from worker.replay.explain.blame import follow, raised_before
from worker.replay.explain.lives import know_lives
from worker.replay.explain.matching import Line, difference, know_lines
from worker.replay.explain.ranks import know_ranks
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import MOST_NAME, clean, operation, place, ranks, stable_place
from worker.replay.explain.waits import Wait
from worker.replay.explain.worlds import know_worlds
from worker.replay.facts import WORLD, Collective, Source, TrialFacts
from worker.replay.trial import Position

_GLOO_SAYS = "distributed collective mismatch"
_ALONE_AGAINST = 2

Difference = tuple[str, Source, int, str, frozenset[str]]


def find(scene: Scene) -> Answer | None:
    known = _habits(scene.passing)
    found = [
        (max(call.t_in for call in calls.values()), line, ordinal, what, calls)
        for line in scene.lines
        for ordinal, what, calls in _first_difference(line)
        if _key(line, ordinal, what, calls) not in known
    ]
    if found:
        _, line, ordinal, what, calls = min(
            found, key=lambda one: (one[1].source is not Source.WRAPPER, one[0], one[1].group)
        )
        return _differing(scene, line, ordinal, what, calls)
    return _other_group(scene) or _said_by_gloo(scene)


def _first_difference(line: Line) -> list[tuple[int, str, dict[int, Collective]]]:
    """The first ordinal at which members that were inside at one time differ; empty if none does."""
    for ordinal in range(line.first, line.last + 1):
        calls = line.at(ordinal)
        given_up = min(
            (call.t_out for call in calls.values() if call.error is not None and call.t_out), default=None
        )
        inside = {pid: call for pid, call in calls.items() if given_up is None or call.t_in <= given_up}
        what = difference(list(inside.values()))
        if what is not None:
            return [(ordinal, what, inside)]
        if given_up is not None or not calls:
            return []
    return []


def _habits(passing: Sequence[TrialFacts]) -> set[Difference]:
    found: set[Difference] = set()
    for facts in passing:
        if facts.collectives:
            lines = know_lines(facts, know_worlds(facts, know_ranks(facts), know_lives(facts)))
            found |= {_key(line, *one) for line in lines for one in _first_difference(line)}
    return found


def _key(line: Line, ordinal: int, what: str, calls: dict[int, Collective]) -> Difference:
    return line.group, line.source, ordinal, what, frozenset(_shown(call, what) for call in calls.values())


def _differing(scene: Scene, line: Line, ordinal: int, what: str, calls: dict[int, Collective]) -> Answer:
    ways: dict[str, list[int]] = defaultdict(list)
    for pid, call in calls.items():
        ways[_shown(call, what)].append(pid)
    by_size = sorted(ways.values(), key=lambda pids: (len(pids), [scene.ranks.of(pid) or 0 for pid in pids]))
    is_alone = len(by_size) == _ALONE_AGAINST and len(by_size[0]) == 1 and len(by_size[1]) > 1
    counted = " of the flight recorder's count" if line.source is Source.FLIGHT_RECORDER else ""
    group = clean(line.group, MOST_NAME)
    heading = f"in {group} collective {ordinal}{counted} the ranks differ in their {what}"
    told = [
        _told(scene, pids, calls[pids[0]], way) for way, pids in sorted(ways.items(), key=lambda one: one[1])
    ]
    raised = raised_before(scene, calls)
    first = calls[min(calls, key=lambda pid: (scene.ranks.of(pid) or 0, pid))]
    return Answer(
        CauseKind.COLLECTIVE_MISMATCH,
        (
            heading,
            *told,
            f"{scene.ranks.name(raised.pid)} had raised {raised.words()} before" if raised else "",
        ),
        pid=by_size[0][0] if is_alone else None,
        also=tuple(calls),
        known=raised,
        position=Position(
            group,
            ordinal,
            clean(first.op, MOST_NAME),
            clean(first.reduce_op, MOST_NAME) if first.reduce_op else None,
            place(first.site) if first.site else None,
            scene.ranks.of(first.pid),
        ),
        place=stable_place(first.site),
        facts={"differs_in": what, "matched": ordinal - 1},
    )


def _told(scene: Scene, pids: Sequence[int], call: Collective, way: str) -> str:
    site = f" at {place(call.site)}" if call.site else ""
    who = ranks(scene.ranks.by_pid[pid] for pid in pids if pid in scene.ranks.by_pid)
    return f"{who} entered {way}{site}"


def _shown(call: Collective, what: str) -> str:
    """The operation with what the ranks differ in: `all_reduce of shape (4,)`."""
    details = {
        "shape": f" of shape {_shape(call)}",
        "dtype": f" of {clean(call.dtypes[0], MOST_NAME) if call.dtypes else 'unknown type'}",
        "root": f" with root {call.root}",
    }
    return f"{operation(call)}{details.get(what, '')}"


def _shape(call: Collective) -> str:
    return clean(str(call.shapes[0]), MOST_NAME) if call.shapes else "unknown"


def _other_group(scene: Scene) -> Answer | None:
    """One rank called on the world group what another called on a subgroup: each waits for the other."""
    waits = [one for one in scene.waits if one.call is not None and one.line is not None and one.awaited]
    for one in waits:
        for other in waits:
            if _is_same_call_elsewhere(one, other) and not follow(scene, one).sinks:
                return _elsewhere(scene, one, other)
    return None


def _is_same_call_elsewhere(one: Wait, other: Wait) -> bool:
    if one.call is None or other.call is None or one.call.source is not other.call.source:
        return False
    crossed = other.pid in one.awaited and one.pid in other.awaited
    at_once = one.t_in <= other.until and other.t_in <= one.until
    is_forgotten_argument = one.call.group == WORLD != other.call.group
    return crossed and at_once and is_forgotten_argument and difference([one.call, other.call]) is None


def _elsewhere(scene: Scene, one: Wait, other: Wait) -> Answer:
    raised = raised_before(scene, {wait.pid: wait.call for wait in (one, other) if wait.call is not None})
    return Answer(
        CauseKind.COLLECTIVE_MISMATCH,
        (
            "the ranks are in the same collective of different groups",
            f"{scene.ranks.name(one.pid)} entered {one.words}",
            f"{scene.ranks.name(other.pid)} entered {other.words}",
            f"{scene.ranks.name(raised.pid)} had raised {raised.words()} before" if raised else "",
        ),
        also=(one.pid, other.pid),
        known=raised,
        wait=one,
        place=stable_place(one.site),
        facts={"differs_in": "group", "matched": one.ordinal - 1},
    )


def _said_by_gloo(scene: Scene) -> Answer | None:
    """Gloo's own last words before it aborts a process, which need no probe to be seen."""
    for pid in sorted(scene.lives.processes):
        words = scene.lives.processes[pid].last_words
        line = next((word for word in words if _GLOO_SAYS in word), None)
        if line is not None and pid in scene.lives.exits and scene.lives.exits[pid].signal is not None:
            name = scene.ranks.name(pid)
            return Answer(
                CauseKind.COLLECTIVE_MISMATCH,
                (
                    f"{name} was aborted by Gloo, which received another size than this rank expected",
                    clean(line),
                ),
                pid=None,
                also=(pid,),
                signal=scene.lives.exits[pid].signal,
                facts={
                    "differs_in": "shape",
                    "last_words": clean(line),
                    "exit_code": scene.lives.code_of(pid),
                },
            )
    return None
