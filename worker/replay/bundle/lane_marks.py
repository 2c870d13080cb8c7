"""The moments of a process that a picture marks: exceptions, signals, exits, its group's start and end."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from signal import Signals

from worker.replay.facts import Process, Raised, Seen, TrialFacts
from worker.replay.trial import Thrown

MOST_MARKS = 60
LONGEST_MESSAGE = 200


class MarkKind(StrEnum):
    INIT = "init"
    DESTROY = "destroy"
    EXCEPTION = "exception"
    SIGNAL = "signal"
    EXIT = "exit"
    CRASH = "crash"
    QUEUE = "queue"


@dataclass(frozen=True, slots=True)
class Mark:
    at: float
    kind: MarkKind
    words: str


def marks_of(
    process: Process, facts: TrialFacts, at: Callable[[int | None], float], named: Thrown | None
) -> list[Mark]:
    """In order of time; the last ones where there are too many. `named` is the exception that explains."""
    raised = _once([one for one in facts.raised if one.pid == process.pid], named)
    found = [Mark(at(one.t), MarkKind.EXCEPTION, f"{one.seen.value}: {headline(one)}") for one in raised]
    found += _life(process.pid, facts, at)
    found += _messages(process.pid, facts, at)
    return sorted(found, key=lambda one: one.at)[-MOST_MARKS:]


def _life(pid: int, facts: TrialFacts, at: Callable[[int | None], float]) -> Iterator[Mark]:
    for init in facts.inits:
        if init.pid == pid:
            failed = ", which failed" if init.error is not None else ""
            yield Mark(at(init.t_in), MarkKind.INIT, f"init of {init.group}{failed}")
    for end in facts.teardowns:
        if end.pid == pid:
            yield Mark(at(end.t_in), MarkKind.DESTROY, f"destroy of {end.group}")
    yield from _ends(pid, facts, at)


def _messages(pid: int, facts: TrialFacts, at: Callable[[int | None], float]) -> Iterator[Mark]:
    for item in facts.items:
        if item.pid == pid and item.holds_traceback:
            done = "put on" if item.is_put else "took from"
            of = "" if item.rank is None else f" of rank {item.rank}"
            yield Mark(
                at(item.t), MarkKind.QUEUE, f"{done} a queue a traceback{of}: {item.text[:LONGEST_MESSAGE]}"
            )
    for sent in facts.sent:
        if sent.target == pid:
            name = signal_name(sent.signal)
            yield Mark(at(sent.t), MarkKind.SIGNAL, f"{name} from pid {sent.sender}, by {sent.how}")


def _ends(pid: int, facts: TrialFacts, at: Callable[[int | None], float]) -> Iterator[Mark]:
    for end in facts.exits:
        if end.pid != pid:
            continue
        if end.signal is not None:
            yield Mark(at(end.t), MarkKind.CRASH, f"ended by {signal_name(end.signal)}")
        else:
            yield Mark(at(end.t), MarkKind.EXIT, f"exit code {end.code}")
        return


def _once(raised: list[Raised], named: Thrown | None) -> Iterator[Raised]:
    """The first sight of each that is more than background: handled ones are everywhere."""
    seen = set()
    for one in raised:
        explains = named is not None and (one.type, one.message) == (named.type, named.message)
        if (explains or one.seen is not Seen.HANDLED) and one.identity not in seen:
            seen.add(one.identity)
            yield one


def headline(raised: Raised) -> str:
    first, *rest = raised.message[: 10 * LONGEST_MESSAGE].splitlines() or [""]
    cut = " ..." if rest or len(first) > LONGEST_MESSAGE else ""
    return f"{raised.type}: {first[:LONGEST_MESSAGE]}{cut}" if first else raised.type


def signal_name(number: int) -> str:
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"
