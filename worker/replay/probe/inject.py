"""A fault of ours, raised in one rank at one place: does the test show what its ranks say? Python >= 3.9.

The fault is written `rank=1,at=collective:3,raise=RuntimeError:any text`; every part may be left out, `raise`
stands last. The probe's hooks call `reach` where a fault can stand; it raises there, once in a process, and
leaves `<pid>.injected` in the journal's folder, so that a fault which was never reached is no good news.
"""

import builtins
import json
import os
from pathlib import Path
from typing import Dict, NamedTuple, Optional, Type

INIT, COLLECTIVE, RETURN = "init", "collective", "return"
PLACES = (INIT, COLLECTIVE, RETURN)
MARK = ".injected"
LONGEST_TEXT = 500
MOST_DIGITS = 6


class Fault(NamedTuple):
    """`number` counts a rank's collectives on WORLD from 1, and is 0 at the other places."""

    rank: int
    place: str
    number: int
    type: str
    text: str

    @property
    def spec(self) -> str:
        at = "{}:{}".format(self.place, self.number) if self.number else self.place
        return "rank={},at={},raise={}:{}".format(self.rank, at, self.type, self.text)


def parse(spec: str) -> Fault:
    """Raise ValueError with a sentence about what is wrong."""
    parts = _parts(spec)
    rank = _whole("rank", parts.pop("rank", "1"))
    place, _, count = parts.pop("at", "collective:1").partition(":")
    if place not in PLACES:
        raise ValueError("at is one of init, collective:N and return, not {!r}".format(place))
    if count and place != COLLECTIVE:
        raise ValueError("only a collective has a number, {} has none".format(place))
    number = _whole("the number of the collective", count or "1") if place == COLLECTIVE else 0
    if place == COLLECTIVE and number == 0:
        raise ValueError("collectives are counted from 1")
    name, _, text = parts.pop("raise", "RuntimeError").partition(":")
    _exception(name)
    if parts:
        raise ValueError("{!r} is no part of a fault; rank, at and raise are".format(min(parts)))
    text = text or "INJECTED_RANK{}_FAILURE".format(rank)
    if len(text) > LONGEST_TEXT or not text.isprintable():
        raise ValueError("the text to raise is one line of at most {} characters".format(LONGEST_TEXT))
    return Fault(rank, place, number, name, text)


class _Armed:
    """What `arm` was told. One of a process: forked children inherit it, as they inherit the hooks."""

    fault = None  # type: Optional[Fault]
    journal = ""
    rank = None  # type: Optional[int]


def arm(spec: str, journal: str) -> None:
    """Have `reach` raise the fault; called once, by the probe, as it enters a process."""
    _Armed.fault, _Armed.journal = parse(spec), journal


def reach(place: str, rank: Optional[int], number: int = 0) -> None:
    """Raise the fault if it stands here; costs one comparison where none is asked for.

    A rank that is not known any more is the one that the process said last.
    """
    fault = _Armed.fault
    if fault is None:
        return
    _Armed.rank = _Armed.rank if rank is None else rank
    if (fault.place, fault.rank, fault.number) != (place, _Armed.rank, number):
        return
    _Armed.fault = None
    _leave_mark(fault)
    raise _exception(fault.type)(fault.text)


def _leave_mark(fault: Fault) -> None:
    mark = Path(_Armed.journal) / "{}{}".format(os.getpid(), MARK)
    mark.write_text(json.dumps(fault._asdict()), encoding="utf-8")


def _parts(spec: str) -> Dict[str, str]:
    before, mark, raised = ("," + spec).partition(",raise=")
    found = {"raise": raised} if mark else {}
    for part in before.split(","):
        if not part:
            continue
        name, equals, value = part.partition("=")
        if not equals or name in found:
            raise ValueError("{!r} is not written as name=value, each name once".format(part))
        found[name] = value
    return found


def _whole(what: str, written: str) -> int:
    if not (written.isascii() and written.isdigit() and len(written) <= MOST_DIGITS):
        raise ValueError("{} is a whole number, not {!r}".format(what, written))
    return int(written)


def _exception(name: str) -> Type[Exception]:
    found = getattr(builtins, name, None)
    if not (isinstance(found, type) and issubclass(found, Exception)):
        raise ValueError("{!r} is no exception of Python itself".format(name))  # noqa: TRY004 - of the spec
    try:
        found("text")
    except TypeError as error:
        raise ValueError("{} takes more than a text".format(name)) from error
    return found
