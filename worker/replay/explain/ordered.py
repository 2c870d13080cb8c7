"""A trial's facts in one order, whatever order the journals were read in: by time, ties by what they say."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TypeVar

from worker.replay.facts import TrialFacts

Fact = TypeVar("Fact")
_TIMES = ("t", "t_in", "started")


def in_one_order(facts: TrialFacts) -> TrialFacts:
    """The same facts; those of a process that say nothing of time stand by its number."""
    return replace(
        facts,
        processes=_in_order(facts.processes),
        exits=_in_order(facts.exits),
        inits=_in_order(facts.inits),
        teardowns=_in_order(facts.teardowns),
        groups=_in_order(facts.groups),
        collectives=_in_order(facts.collectives),
        store_calls=_in_order(facts.store_calls),
        raised=_in_order(facts.raised),
        items=_in_order(facts.items),
        sent=_in_order(facts.sent),
        stacks=_in_order(facts.stacks),
        lock_waits=_in_order(facts.lock_waits),
        phases=_in_order(facts.phases),
        pauses=_in_order(facts.pauses),
        survivors=_in_order(facts.survivors),
        throttling=_in_order(facts.throttling),
        torn=_in_order(facts.torn),
    )


def _in_order(values: Sequence[Fact]) -> tuple[Fact, ...]:
    found: list[Fact] = []
    for _, equal in groupby(sorted(values, key=_key), key=_key):
        tied = list(equal)
        # Words are costly to make and to compare, and hardly ever needed: clocks count nanoseconds.
        found += sorted(tied, key=repr) if len(tied) > 1 else tied
    return tuple(found)


def _key(value: object) -> tuple[int, int]:
    time = next((at for name in _TIMES if (at := getattr(value, name, None)) is not None), 0)
    return time, getattr(value, "pid", 0)
