"""Collectives that failed where only the flight recorder saw them: it tells no failure from a completion.

Its entries end when a dump first finds them retired, and a failed wait retires one too. So where a process
met the loss of a peer, that exception is laid to the newest entry which had not been seen retired before it.
Where a wrapper saw the same call, both now say that it failed.
"""

from collections.abc import Sequence
from dataclasses import replace

from worker.replay.explain.consequences import Lost
from worker.replay.explain.exceptions import Known
from worker.replay.explain.lives import SLACK_NS
from worker.replay.facts import Collective, Source, TrialFacts


def tell_failures(facts: TrialFacts, exceptions: Sequence[Known]) -> TrialFacts:
    """The same facts, with the error of at most one of the recorder's entries of each process."""
    told = _told(facts)
    failed: dict[Collective, Collective] = {}
    done: set[int] = set()
    for known in exceptions:
        pid, identity = known.pid, known.raised.identity
        if known.lost is None or pid in done or (pid, identity) in told:
            continue
        done.add(pid)
        entry = _newest_open(facts, known)
        if entry is not None:
            failed[entry] = replace(entry, error=identity, t_out=_failed_at(facts, entry, known))
    if not failed:
        return facts
    return replace(facts, collectives=tuple(failed.get(one, one) for one in facts.collectives))


def _failed_at(facts: TrialFacts, entry: Collective, known: Known) -> int:
    """The exception is met later than it was raised: a time-out is no later than the group's own."""
    if known.lost is not Lost.TIMED_OUT:
        return known.began
    limits = {one.timeout_s for one in facts.groups if (one.pid, one.name) == (entry.pid, entry.group)}
    limits |= {one.timeout_s for one in facts.inits if (one.pid, one.group) == (entry.pid, entry.group)}
    told = [one for one in limits if one]
    if len(told) != 1:
        return known.began
    return min(known.began, entry.t_in + int(told[0] * 1e9))


def _told(facts: TrialFacts) -> set[tuple[int, int]]:
    """Exceptions that a call which somebody saw is known to have ended with."""
    found = {(one.pid, one.error) for one in facts.collectives}
    found |= {(one.pid, one.error) for one in facts.store_calls}
    found |= {(one.pid, one.error) for one in facts.inits}
    found |= {(one.pid, one.error) for one in facts.teardowns}
    return {(pid, error) for pid, error in found if error}


def _newest_open(facts: TrialFacts, known: Known) -> Collective | None:
    entries = [
        call
        for call in facts.collectives
        if call.pid == known.pid
        and call.source is Source.FLIGHT_RECORDER
        and call.error is None
        and call.t_in <= known.began
        and (call.t_out is None or call.t_out >= known.began - SLACK_NS)
    ]
    return max(entries, key=lambda call: (call.t_in, call.number), default=None)
