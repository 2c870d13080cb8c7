"""Collectives that failed where only the flight recorder saw them: it tells no failure from a completion.

Its entries end when a dump first finds them retired, and a failed wait retires one too. So where a process
met the loss of a peer in no call that a wrapper saw, that exception is laid to the newest entry which had not
been seen retired before it.
"""

from collections.abc import Sequence
from dataclasses import replace

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
            failed[entry] = replace(entry, error=identity, t_out=known.began)
    if not failed:
        return facts
    return replace(facts, collectives=tuple(failed.get(one, one) for one in facts.collectives))


def _told(facts: TrialFacts) -> set[tuple[int, int]]:
    """Exceptions that a call which somebody saw is known to have ended with."""
    calls = (*facts.collectives, *facts.store_calls, *facts.inits, *facts.teardowns)
    return {(call.pid, call.error) for call in calls if call.error}


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
