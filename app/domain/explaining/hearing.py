"""One line of a log, heard: what it means by itself, as an exception or as a line that is known."""

import re
from typing import Final

from app.domain.assertion import is_assertion
from app.domain.categorise import categorise
from app.domain.category import Category
from app.domain.explaining.known_lines import find_known
from app.domain.explaining.saying import Saying, Weight
from app.domain.explaining.writers import split_writer
from app.domain.joblog.log_lines import LogLine
from app.domain.opacity import holds_no_cause
from app.domain.raised import Raised
from app.domain.root_cause import Standing, standing_of

HEARD_CHARS: Final = 2_000

_RAISED: Final = re.compile(
    r"(?P<mark>E\s{1,40})?(?:Caused by: |Uncaught )?"
    r"(?P<type>(?:[A-Za-z_]\w{0,80}\.){0,12}[A-Za-z_]\w{0,80}"
    r"(?:Error|Exception|Failure|Exit|Interrupt|Empty|Failed|Timeout|ExceptionGroup))"
    r"(?:: ?(?P<message>.*)| \(.{1,100}\)|:)?$"
)
_MARKED: Final = re.compile(r"E\s{1,40}(?P<message>\S.*)$")
_CARRIERS: Final = frozenset(
    {"ProcessRaisedException", "ChildFailedError", "RemoteTraceback", "ExceptionWrapper"}
)
"""They only carry what another process raised, and say so without its words."""
_ONLY_FAILED: Final = re.compile(
    r"(?:command .{1,500} returned non-zero exit status|\S{1,300}(?: \d{1,6}/\d{1,6})? failed!?$)",
    re.IGNORECASE,
)
_STATUSES: Final = re.compile(r"[\[(](?:-?\d{1,3}, )*-?\d{1,3},?[\])] == [\[(](?:0, )*0,?[\])]$")
"""Numbers held against nothing but zeros are the exit statuses of processes."""
_HINTS: Final = (
    *("error", "exception", "fail", "fatal", "timed out", "timeout", "crash", "kill", "sig", "abort"),
    *("segmentation", "illegal", "down:", "panic", "exit", "memory", "mismatch", "manifest", "no space"),
    *("resolv", "interrupt", "empty", "took >", "terminat", "connection", "already", "xpass", "unexpected"),
    *("gateway", "unavailable", "unhandled", "bad_alloc", "limit", "too many", "toomany", "e: ", "*** "),
)
"""Every line that means something has one of these, in any case; most lines have none."""

_WEIGHTS: Final = {
    Standing.OWN: Weight.OWN,
    Standing.CRASHED: Weight.CRASHED,
    Standing.KILLED: Weight.KILLED,
    Standing.COLLECTIVE_TIMEOUT: Weight.WAITED,
    Standing.LOST_PEER: Weight.LOST_PEER,
    Standing.ENDED: Weight.ENDED,
}


def may_tell(text: str) -> bool:
    """Whether it is worth hearing. Substrings are found at a fifth of the time of one expression for all."""
    low = text.lower()
    for hint in _HINTS:  # noqa: SIM110 - a generator for `any` costs more than what it asks
        if hint in low:
            return True
    return False


def hear(line: LogLine, *, step: int = 0, goes_on: bool = False) -> Saying | None:
    """What the line tells, or None. `goes_on`: the line above was marked `E`, so this one goes on with it."""
    text = line.text[:HEARD_CHARS]
    rank, _, said = split_writer(text)
    raised = _RAISED.match(said)
    if raised is not None and not (goes_on and raised["mark"]):
        return _of_exception(line, said, raised["type"], raised["message"] or "", rank, step)
    known = find_known(said)
    if known is not None:
        return Saying(line.number, line.text, said, known.weight, known.category, known.what, rank, step)
    marked = None if goes_on else _MARKED.match(said)
    if marked is not None:
        message = marked["message"]
        type_name = "AssertionError" if message.startswith("assert ") else ""
        return _of_exception(line, said, type_name, message, rank, step)
    return None


def _of_exception(
    line: LogLine, said: str, type_name: str, message: str, rank: int | None, step: int
) -> Saying:
    raised = Raised(type_name, (message,))
    is_opaque = is_assertion(type_name) and (holds_no_cause(raised) or _STATUSES.search(message) is not None)
    weight = _WEIGHTS[standing_of(raised)]
    category = categorise(type_name, message)
    what = ""
    known = find_known(f"{type_name}: {message}" if type_name else message) or find_known(message)
    if known is not None and not is_assertion(type_name) and known.weight is not Weight.COMPLAINT:
        category, what = known.category, known.what
        weight = max(weight, known.weight) if known.weight is not Weight.MISMATCH else known.weight
    if is_opaque or type_name.rpartition(".")[2] in _CARRIERS or _ONLY_FAILED.match(message):
        weight = Weight.ENDED
    if category is Category.UNKNOWN and type_name == "":
        category = Category.EXCEPTION
    return Saying(
        line.number, line.text, said, weight, category, what, rank, step, is_raised=True, is_opaque=is_opaque
    )
