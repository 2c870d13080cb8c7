"""Sends and receives: the k-th send from one rank to another meets the other's k-th receive from it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from worker.replay.explain.worlds import World
from worker.replay.facts import Collective, Source, TrialFacts

_SENDS = {"send", "isend", "send_object_list"}
_RECEIVES = {"recv", "irecv", "recv_object_list"}

Lane = tuple[int, int, str]
"""From which pid to which, in which group."""


def partners(
    facts: TrialFacts, worlds: Sequence[World]
) -> list[tuple[Collective, int, Collective | None, int]]:
    """Each send and receive that names its peer, the peer's pid, what met it (None: nothing), and its number.

    Of the wrapper's record only. A receive from anybody is left out: nobody in particular was to come.
    """
    lanes: Mapping[Lane, tuple[list[Collective], list[Collective]]] = defaultdict(lambda: ([], []))
    calls = [one for one in facts.collectives if one.op in _SENDS | _RECEIVES]
    for call in sorted(calls, key=lambda one: (one.t_in, one.pid, one.number, repr(one))):
        peer = _peer_pid(call, worlds)
        if peer is None or call.source is not Source.WRAPPER:
            continue
        if call.op in _SENDS:
            lanes[call.pid, peer, call.group][0].append(call)
        elif call.op in _RECEIVES:
            lanes[peer, call.pid, call.group][1].append(call)
    found: list[tuple[Collective, int, Collective | None, int]] = []
    for (sender, receiver, _), (sends, receives) in sorted(lanes.items(), key=lambda each: each[0]):
        for own, others, peer in ((sends, receives, receiver), (receives, sends, sender)):
            for at, call in enumerate(own):
                found.append((call, peer, others[at] if at < len(others) else None, at + 1))
    return found


def _peer_pid(call: Collective, worlds: Sequence[World]) -> int | None:
    if call.peer is None:
        return None
    world = next((one for one in worlds if one.holds(call.pid, call.t_in)), None)
    return world.pids.get(call.peer) if world else None
