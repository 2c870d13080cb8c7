"""Groups by the names that all their members know them by, whichever of a process's worlds they were in.

A journal counts the worlds of its own process (`WORLD~2`). Worlds are told apart by their inits
(`worlds.py`), which also holds where only some of the ranks were started anew.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from worker.replay.facts import Collective, Init, Teardown, TrialFacts, name_and_life

_Named = TypeVar("_Named", Init, Teardown, Collective)


def with_common_names(facts: TrialFacts) -> TrialFacts:
    """The same facts, no group's name with a count of worlds."""
    return replace(
        facts,
        inits=_renamed(facts.inits),
        teardowns=_renamed(facts.teardowns),
        collectives=_renamed(facts.collectives),
        groups=tuple(replace(one, name=name_and_life(one.name)[0]) for one in facts.groups),
    )


def _renamed(facts: Sequence[_Named]) -> tuple[_Named, ...]:
    return tuple(
        replace(one, group=name_and_life(one.group)[0]) if "~" in one.group else one for one in facts
    )
