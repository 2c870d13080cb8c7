"""A naming in words: who waits where for whom, whether that is proven, and what the missing rank did."""

from collections.abc import Iterator, Sequence
from typing import Final

from worker.replay.explain.sentences import exception, innermost_of_project, operation_words, place
from worker.replay.facts import Frame, Linked
from worker.replay.observed import HELD, Absent, Naming
from worker.replay.trial import Position, Thrown

MOST_LINKED: Final = 6
MOST_PLACES: Final = 4
_ENDED: Final = {
    "withdrawn": "withdrawn, it went on after all",
    "borne-out": "borne out, the wait has failed",
}


def naming_lines(naming: Naming) -> Iterator[str]:
    """The naming, and below it what was known of the ranks; how it ended is one line."""
    yield naming_words(naming)
    if naming.what in HELD:
        for absent in naming.absent:
            yield from _absent(absent)
        if naming.stack and naming.rank is not None:
            yield f"rank {naming.rank} is at {_places(naming.stack)}"


def naming_words(naming: Naming) -> str:
    """Who waits where for whom, and whether that is proven."""
    who = "a process" if naming.rank is None else f"rank {naming.rank}"
    ranks = ", ".join(map(str, naming.missing))
    missing = "others" if not ranks else f"rank {ranks}" if len(naming.missing) == 1 else f"ranks {ranks}"
    one = len(naming.missing) == 1
    holds = naming.what in HELD
    waits, are = ("waits", "is" if one else "are") if holds else ("waited", "was" if one else "were")
    proof = f": {naming.proof}" if naming.proof else ""
    site = f" at {naming.call_site}" if naming.call_site else ""
    return (
        f"{_ENDED.get(naming.what, naming.what)}{proof}: {who} {waits} in "
        f"{operation_words(naming.op, naming.reduce_op)} number {naming.number} on {naming.group}{site}, "
        f"where {missing} {are} missing"
    )


def _absent(absent: Absent) -> Iterator[str]:
    who = f"rank {absent.rank}"
    after = _after(absent)
    if absent.raised is not None:
        raised = absent.raised
        frame = innermost_of_project(raised.frames)
        at = f" at {place(frame)}" if frame else ""
        yield f"{who} raised {exception(raised.type, raised.message)}{at}{', ' if after else ''}{after}"
        yield from (f"  {one}" for one in _chain(raised))
    elif after:
        yield f"{who} was last seen {after}"
    if absent.stack:
        yield f"{who} is at {_places(absent.stack)}"


def _after(absent: Absent) -> str:
    if absent.last is None:
        return ""
    how = "inside" if absent.is_inside else "after matched" if absent.is_matched else "after"
    return f"{how} {position_words(absent.last)}"


def position_words(at: Position) -> str:
    """`all_reduce(MIN) number 14 on WORLD at file:line in function`."""
    site = f" at {at.call_site}" if at.call_site else ""
    return f"{operation_words(at.op, at.reduce_op)} number {at.number} on {at.group}{site}"


def _chain(raised: Thrown) -> Iterator[str]:
    """Causes and contexts, those of the exception itself first; a cause that is also the context once."""
    waiting = _behind(raised, "its ")
    told = 0
    while waiting and told < MOST_LINKED:
        how, link = waiting.pop(0)
        told += 1
        yield f"{how}: {exception(link.type, link.message)}"
        waiting += _behind(link, "behind that, its ")


def _behind(one: Thrown | Linked, whose: str) -> list[tuple[str, Linked]]:
    found = [(f"{whose}cause", one.cause)] if one.cause is not None else []
    if one.context is not None and one.context != one.cause:
        found.append((f"{whose}context", one.context))
    return found


def _places(stack: Sequence[Frame]) -> str:
    """The innermost frame, and the project's around it, the innermost first."""
    own = [one for one in stack[1:] if one.in_project]
    return ", called from ".join(place(one) for one in [stack[0], *own[: MOST_PLACES - 1]])
