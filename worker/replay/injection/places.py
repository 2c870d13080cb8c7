"""Which faults can be reached in a test, by what its control showed of its ranks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from worker.replay.facts import WORLD, Source, TrialFacts, name_and_life
from worker.replay.probe.inject import COLLECTIVE, EXIT, HANG, INIT, KILL, RAISE, Fault, parse

_KNOWN: Final = frozenset({"init", "env", "argument", "thread"})
"""How a rank is known for sure: siblings in the order of their start may be no ranks at all."""


@dataclass(frozen=True, slots=True)
class Ground:
    """Of one rank: whether it calls init, and how many collectives on WORLD it enters by calls of Python."""

    ranks: int
    has_init: bool
    collectives: int


def ground_of(facts: TrialFacts, rank: int) -> Ground:
    known = {one.pid: one.rank for one in facts.processes if one.rank_source in _KNOWN}
    ranks = {one for one in known.values() if one is not None}
    worlds = [one.world for one in facts.processes if one.world and one.rank_source in _KNOWN]
    entered = [
        one.number
        for one in facts.collectives
        if known.get(one.pid) == rank
        and one.source is Source.WRAPPER
        and one.peer is None
        and name_and_life(one.group)[0] == WORLD
    ]
    begun = [one for one in facts.inits if one.group.startswith(WORLD)]
    return Ground(
        ranks=max([len(ranks), *worlds], default=0) if ranks else 0,
        has_init=any(rank in {one.rank, known.get(one.pid)} for one in begun),
        collectives=max(entered, default=0),
    )


def usual_faults(ground: Ground, rank: int) -> Iterator[Fault]:
    """A raise at init and at a collective, then an exit, a kill and a hang, where the rank gets that far."""
    reached = {INIT: ground.has_init, COLLECTIVE: ground.collectives > 0}
    places = [at for at, is_reached in reached.items() if is_reached]
    for at in places or [EXIT]:
        yield _fault(rank, at, RAISE)
    for how in (EXIT, KILL, HANG):
        yield _fault(rank, places[-1] if places else EXIT, how)


def _fault(rank: int, at: str, how: str) -> Fault:
    return parse(f"rank={rank},at={at},how={how}")
