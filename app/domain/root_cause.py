"""Which of several exceptions is the cause, and which only tell that something else had gone.

When one process of a group fails, its peers lose a connection, run into a time-out or are terminated. What
was printed first proves nothing: a peer's reset can be reported before the exception that caused it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from app.domain.raised import Raised


class Standing(IntEnum):
    """How near to the cause an exception can be; a lower number outranks a higher one."""

    OWN = 1
    CRASHED = 2
    KILLED = 3
    COLLECTIVE_TIMEOUT = 4
    LOST_PEER = 5
    ENDED = 6
    """An exit status, a termination, a cancellation, or an assertion about those."""


@dataclass(frozen=True, slots=True)
class Cause:
    """`root` is the cause; `outermost` what it was turned into last, the same where nothing was."""

    root: Raised
    outermost: Raised
    standing: Standing


_STANDINGS: tuple[tuple[Standing, re.Pattern[str]], ...] = tuple(
    (standing, re.compile("|".join(words), re.IGNORECASE))
    for standing, words in (
        (
            Standing.CRASHED,
            (r"\bSIG(?:SEGV|ABRT|BUS|ILL|FPE)\b", r"^Fatal Python error", r"worker '?gw\S{1,10} crashed"),
        ),
        (Standing.KILLED, (r"\bSIGKILL\b", r"exit ?code:? (?:137|-9)\b")),
        (
            Standing.COLLECTIVE_TIMEOUT,
            (
                r"timed out waiting \d{1,12} ?ms for",
                r"watchdog caught",
                r"collective operation timeout",
                r"^(?:_?queue\.)?Empty\b",
                r"workers? timed out",
                r"timed out waiting for (?:\S{1,40} )?(?:workers?|ranks?|process(?:es)?)",
            ),
        ),
        (
            Standing.LOST_PEER,
            (
                r"connection (?:closed by peer|reset|aborted|refused)",
                r"Connection(?:Reset|Aborted|Refused)Error",
                r"broken ?pipe",
                r"failed to recv, got 0 bytes",
                r"recvValue failed",
                r"wait timeout after",
                r"store(?:->| )?get.{0,40}time",
                r"socket timeout",
                r"communicator was aborted",
                r"remote process exited",
                r"ncclRemoteError",
                r"DistNetworkError",
                r"peer closed",
            ),
        ),
        (
            Standing.ENDED,
            (
                r"\bSIGTERM\b",
                r"exit(?:ed with)? ?(?:error )?code",
                r"exit status",
                r"returncode",
                r"^SystemExit",
                r"^KeyboardInterrupt",
                r"\bcancell?ed\b",
                r"ProcessExitedException",
                r"ChildFailedError",
            ),
        ),
    )
)
_SCANNED_CHARS = 2_000


def standing_of(raised: Raised) -> Standing:
    """Judge by the type and the headline alone: later lines quote other processes."""
    said = f"{raised.type}: {raised.headline}"[:_SCANNED_CHARS]
    return next((standing for standing, pattern in _STANDINGS if pattern.search(said)), Standing.OWN)


def find_cause(found: Sequence[tuple[Raised, Standing]]) -> Cause | None:
    """The cause among all exceptions of a text, in print order; None where there are none.

    Carriers count only where nothing was carried. Of several ranks with equal standing, the lowest type and
    message is taken, since which of them printed first is chance; within one writer the first is taken.
    """
    candidates = [(raised, standing) for raised, standing in found if not raised.carrier] or list(found)
    if not candidates:
        return None
    best = min(standing for _, standing in candidates)
    equals = [raised for raised, standing in candidates if standing == best]
    first = {raised.rank: raised for raised in reversed(equals)}
    root = equals[0] if None in first else min(first.values(), key=lambda each: (each.type, each.message))
    same_chain = [raised for raised in equals if (raised.rank, raised.chain) == (root.rank, root.chain)]
    return Cause(root, same_chain[-1], best)
