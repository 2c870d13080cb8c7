"""Whether a value is the same on all ranks, as far as a file tells.

The flags add up: `gathered[rank]` came out of a collective and differs by rank. No flag at all means fixed:
made of the constants of the file alone.
"""

import re
from dataclasses import dataclass
from enum import IntFlag


class Sameness(IntFlag):
    SAME = 0
    LOCAL = 1
    """Differs, or may differ, from rank to rank: the rank's own data, clock or luck."""
    RANK = 2
    """Follows from the rank's number; always LOCAL too."""
    AGREED = 4
    """Came out of a collective."""
    UNKNOWN = 8
    """Neither the same nor different as far as the file tells."""
    GIVEN = 16
    """The same on all ranks of a run, and another in another run; else the file's own text fixes it."""


BY_RANK = Sameness.RANK | Sameness.LOCAL


@dataclass(frozen=True, slots=True)
class Held:
    """What is known of a value, and apart from it of its shape: also its length, its type, whether it is
    None.
    """

    value: Sameness = Sameness.SAME
    shape: Sameness = Sameness.SAME

    def __or__(self, other: "Held") -> "Held":
        return Held(self.value | other.value, self.shape | other.shape)

    def under(self, control: Sameness) -> "Held":
        """The same value where it was set under a condition."""
        return Held(self.value | control, self.shape | control)


SAME = Held()
UNKNOWN = Held(Sameness.UNKNOWN, Sameness.UNKNOWN)


OF_RANK = Held(BY_RANK)
"""The rank's number: on every rank another one, on every rank a number."""


def alike(flags: Sameness) -> Held:
    """A value whose shape is as different as the value itself."""
    return Held(flags, flags)


_RANK_NAME = re.compile(
    r"_*(?:(?:my|local|global|cur|current|this|self|node|group|worker|process|proc|dist|torch|shard|[dtpecm]p|mesh|data)_)?"
    r"rank(?:_?(?:id|idx|no|num|nr|index))?_*"
    r"|(?:proc|process|worker|replica)_?(?:id|idx|index|nr|number|no)",
    re.IGNORECASE,
)
_OWN_NAME = re.compile(
    r"(?:^|_)(?:local|mine|my|own|private|shards?|batch|batches|microbatch|samples?|chunks?|partitions?|lengths|tokens)(?:_|$)",
    re.IGNORECASE,
)
_DATA_NAME = re.compile(
    r"(?:^|_)(?:x|data|inputs?|rows?|records?|items?|entries|values?|lines?|tensors?|loss|losses|grads?|gradients?"
    r"|sequences?|requests?|prompts?|texts?|docs?|documents?|examples?|payload|messages?|blob|content|scores?|labels?"
    r"|features?|points|tasks|plan|schedule|estimate|assignment|cache|buffer|state|part|parts|table|graph|tree)(?:_|$)",
    re.IGNORECASE,
)
_SAME_NAME = re.compile(
    r"(?:^|_)(?:size|sizes|count|num|n|max|min|total|path|dir|root|name|names|config|cfg|dtype|spec|per|timeout|steps?)(?:_|$)",
    re.IGNORECASE,
)


def names_a_rank(name: str) -> bool:
    """`rank`, `local_rank`, `self._rank_id`, `proc_id`; neither `ranks` nor `src_rank`, which are the same
    everywhere.
    """
    return _RANK_NAME.fullmatch(name) is not None


def by_name(name: str) -> Held:
    """What a name alone promises, where its value cannot be followed."""
    if names_a_rank(name):
        return OF_RANK
    if _OWN_NAME.search(name) and not _SAME_NAME.search(name):
        return alike(Sameness.LOCAL)
    return UNKNOWN


def of_parameter(name: str) -> Held:
    """What a parameter's name promises in a function of which no caller is seen: data are each rank's own."""
    told = by_name(name)
    if told == UNKNOWN and _DATA_NAME.search(name) and not _SAME_NAME.search(name):
        return alike(Sameness.LOCAL)
    return told
