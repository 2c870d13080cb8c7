"""A fault of ours, asked for in one rank at one place: how it is written. Python >= 3.9.

`rank=1,at=init|collective=N|exit,how=raise|exit|hang|kill,raise=RuntimeError:any text`; every part may be
left out, `raise` stands last. `collective:N` and `return` are other spellings of `collective=N` and `exit`.
"""

import builtins
from typing import Dict, NamedTuple, Type

INIT, COLLECTIVE, EXIT = "init", "collective", "exit"
PLACES = (INIT, COLLECTIVE, EXIT)
RAISE, HANG, KILL = "raise", "hang", "kill"
WAYS = (RAISE, EXIT, HANG, KILL)
CONTROL = "control"
"""In the place of a fault: there is none, and what the test waits for is noted all the same."""
MARK = ".injected"
EXIT_CODE = 86
"""What a rank exits with: no library gives it by itself, so that a message that has it means it."""
LONGEST_TEXT = 500
MOST_DIGITS = 6

_OTHER_SPELLINGS = {"return": EXIT}


class Fault(NamedTuple):
    """`number` counts a rank's collectives on WORLD from 1, and is 0 at the other places.

    `type` and `text` are those of the exception, empty where none is raised.
    """

    rank: int
    place: str
    number: int
    how: str
    type: str = ""
    text: str = ""

    @property
    def at(self) -> str:
        return "{}={}".format(self.place, self.number) if self.number else self.place

    @property
    def spec(self) -> str:
        raised = ",raise={}:{}".format(self.type, self.text) if self.how == RAISE else ""
        return "rank={},at={},how={}{}".format(self.rank, self.at, self.how, raised)


def parse(spec: str) -> Fault:
    """Raise ValueError with a sentence about what is wrong."""
    parts = _parts(spec)
    rank = _whole("rank", parts.pop("rank", "1"))
    place, number = _place(parts.pop("at", COLLECTIVE))
    raised = parts.pop(RAISE, None)
    how = parts.pop("how", RAISE)
    if parts:
        raise ValueError("{!r} is no part of a fault; rank, at, how and raise are".format(min(parts)))
    if how not in WAYS:
        raise ValueError("how is one of raise, exit, hang and kill, not {!r}".format(how))
    if how != RAISE:
        if raised is not None:
            raise ValueError("nothing is raised where a rank is to {}".format(how))
        return Fault(rank, place, number, how)
    name, _, text = (raised or "RuntimeError").partition(":")
    _exception(name)
    text = text or "INJECTED_RANK{}_FAILURE".format(rank)
    if len(text) > LONGEST_TEXT or not text.isprintable():
        raise ValueError("the text to raise is one line of at most {} characters".format(LONGEST_TEXT))
    return Fault(rank, place, number, how, name, text)


def made(fault: Fault) -> Exception:
    """The exception that it asks for."""
    return _exception(fault.type)(fault.text)


def _parts(spec: str) -> Dict[str, str]:
    before, mark, raised = ("," + spec).partition(",raise=")
    found = {RAISE: raised} if mark else {}
    for part in before.split(","):
        if not part:
            continue
        name, equals, value = part.partition("=")
        if name == COLLECTIVE and equals:  # `collective=3` by itself
            name, value = "at", part
        if not equals or name in found:
            raise ValueError("{!r} is not written as name=value, each name once".format(part))
        found[name] = value
    return found


def _place(written: str) -> "tuple[str, int]":
    place, _, count = written.replace("=", ":", 1).partition(":")
    place = _OTHER_SPELLINGS.get(place, place)
    if place not in PLACES:
        raise ValueError("at is one of init, collective=N and exit, not {!r}".format(place))
    if place != COLLECTIVE:
        if count:
            raise ValueError("only a collective has a number, {} has none".format(place))
        return place, 0
    number = _whole("the number of the collective", count or "1")
    if number == 0:
        raise ValueError("collectives are counted from 1")
    return place, number


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
