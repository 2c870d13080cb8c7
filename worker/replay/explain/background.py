"""What passing trials of the same test raise too: background, and never evidence.

A program that raises and handles an exception in every run raises it in the failing ones as well; only the
difference says anything. An exception that passing trials handled and this one did not is a difference.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from worker.replay.explain.sentences import innermost_of_project, stable_place
from worker.replay.facts import Raised, Seen, TrialFacts

Habit = tuple[str, str | None, str]
"""Type, place and message without its numbers, of whichever rank."""

_NUMBERS: Final = re.compile(r"0x[0-9a-fA-F]{1,32}|\d{1,40}")
_COMPARED_CHARS: Final = 500

STRENGTH: Final = {Seen.HANDLED: 0, Seen.REPORTED: 1, Seen.TEST: 2, Seen.UNCAUGHT: 3}
"""How far an exception got; the further, the more it says."""


def habits(passing: Sequence[TrialFacts]) -> Mapping[Habit, int]:
    """How far each exception got in any passing trial."""
    found: dict[Habit, int] = {}
    for facts in passing:
        for raised in facts.raised:
            key = habit_of(raised)
            found[key] = max(found.get(key, 0), STRENGTH[raised.seen])
    return found


def is_background(raised: Raised, known: Mapping[Habit, int]) -> bool:
    """True where passing trials raise it at the same place and let it get as far."""
    reached = known.get(habit_of(raised))
    return reached is not None and reached >= STRENGTH[raised.seen]


def habit_of(raised: Raised) -> Habit:
    frame = innermost_of_project(raised.frames) or (raised.frames[-1] if raised.frames else None)
    return raised.type, stable_place(frame), _NUMBERS.sub("#", raised.message[:_COMPARED_CHARS])
