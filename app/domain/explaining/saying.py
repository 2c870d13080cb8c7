"""A line of a log that says something went wrong, and how near to the cause such a line can be."""

from dataclasses import dataclass
from enum import IntEnum

from app.domain.category import Category


class Weight(IntEnum):
    """The order in which a cause is looked for; a higher number is a consequence until shown otherwise.

    When one process of a group ends, its peers lose a connection, run into a time-out or are terminated, and
    whatever started them tells of exit codes. Which of these was printed first is chance.
    """

    RUNNER = 1
    """The runner ended the job, or never began it: nothing that its programs said is the cause."""
    MISMATCH = 2
    OWN = 3
    """An exception, an assertion or a refusal that no other process brought on."""
    CRASHED = 4
    KILLED = 5
    WAITED = 6
    """A time limit: of a collective, of a test, of a command."""
    LOST_PEER = 7
    COMPLAINT = 8
    """A plain line that calls itself an error; programs print such lines and go on."""
    ENDED = 9
    """An exit status, a termination, a cancellation, or an assertion about those."""


@dataclass(frozen=True, slots=True)
class Saying:
    """A telling line. `number` counts from 1 in the log; `text` is the clean line, `said` has no labels.

    `what` is what happened in words, where the line alone does not say it. `step` counts the steps that the
    runner began before it. `is_raised`: it names an exception.
    """

    number: int
    text: str
    said: str
    weight: Weight
    category: Category
    what: str = ""
    rank: int | None = None
    step: int = 0
    is_raised: bool = False
    is_opaque: bool = False
