"""For each failed test that a log names, the one among the telling lines of its text that is the cause."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.domain.category import Category
from app.domain.explaining.saying import Saying, Weight
from app.domain.failure_reading import read_failure
from app.domain.joblog.run_reader import ToldFailure
from app.domain.outcome import Errored, Failed
from app.domain.root_cause import Standing

MOST_FAILURES: Final = 1_000
"""Failures that are explained one by one; the rest are named only."""

_TELLING_CHARS: Final = 12
"""A shorter message could begin many lines."""
_NO_KEY: Final = Weight.ENDED + 1
_CAPTURED: Final = "Captured "
_BESIDE: Final = frozenset({Weight.KILLED, Weight.WAITED, Weight.LOST_PEER, Weight.COMPLAINT, Weight.ENDED})
"""What a failure's own text says may be the consequence of what a process printed elsewhere."""


@dataclass(frozen=True, slots=True)
class Explained:
    told: ToldFailure
    key: Saying | None


def explain_failures(told: Sequence[ToldFailure], sayings: Sequence[Saying]) -> list[Explained]:
    """In the order of `told`. A line that stands in several texts is taken by each in turn."""
    by_text: defaultdict[str, list[Saying]] = defaultdict(list)
    for saying in sayings:
        by_text[saying.text].append(saying)
    beside = [one for one in sayings if one.weight not in _BESIDE]
    heard = _Heard(by_text, sayings, beside, is_alone=len(told) == 1)
    named = [_explain(one, heard) for one in told[:MOST_FAILURES]]
    return named + [Explained(one, None) for one in told[MOST_FAILURES:]]


def main_of(explained: Sequence[Explained]) -> Explained | None:
    """The failure nearest to a cause; of equals the first."""
    return min(explained, key=lambda one: _NO_KEY if one.key is None else one.key.weight, default=None)


def best(sayings: Iterable[Saying]) -> Saying | None:
    """By weight; what a program raised goes before what it printed, and the first before the others."""
    return min(sayings, key=lambda one: (one.weight, not one.is_raised, one.number), default=None)


@dataclass(frozen=True, slots=True)
class _Heard:
    """All sayings of the log. `beside` are those that can be the cause of a failure in another process."""

    by_text: dict[str, list[Saying]]
    every: Sequence[Saying]
    beside: Sequence[Saying]
    is_alone: bool
    """Only one test failed, so what the log says elsewhere is of it."""


def _explain(failure: ToldFailure, heard: _Heard) -> Explained:
    outcome = failure.result.outcome
    assert isinstance(outcome, Failed | Errored)  # only failures are told
    text, message = outcome.text, outcome.message
    own, captured = _parts(text)
    key = best(_taken(own, heard.by_text)) or _by_message(message, heard)
    if key is not None and _is_opaque(key, message, text):
        key = replace(key, weight=Weight.ENDED, is_opaque=True)
    if key is None or key.weight in _BESIDE:
        others = _taken(captured, heard.by_text)
        others += [one for one in heard.beside if heard.is_alone or _is_near(one, key, failure)]
        better = [
            one for one in others if key is None or (one.weight < key.weight and one.number != key.number)
        ]
        key = best(better) or key
    return Explained(failure, key)


def _is_opaque(key: Saying, message: str, text: str) -> bool:
    """Whether an assertion's whole text, its statement with it, holds no cause, as that of an exit status."""
    if key.category is not Category.ASSERTION or key.is_opaque:
        return key.is_opaque
    cause = read_failure(message, text).cause
    return cause is not None and cause.standing is Standing.ENDED


def _by_message(message: str, heard: _Heard) -> Saying | None:
    """Where a log shows no text of a failure, the line that a summary's cut message began to quote."""
    begin = message.partition("\n")[0].removesuffix("...").strip()
    if len(begin) < _TELLING_CHARS:
        return None
    return best([one for one in heard.every if one.said.removeprefix("E").lstrip().startswith(begin)])


def _parts(text: str) -> tuple[list[str], list[str]]:
    """The lines of a failure's text: its own, and those of captured output, which may be of anything."""
    own: list[str] = []
    captured: list[str] = []
    part = own
    for line in text.split("\n"):
        if line.startswith("--") and _CAPTURED in line:
            part = captured
        part.append(line)
    return own, captured


def _taken(lines: Iterable[str], by_text: dict[str, list[Saying]]) -> list[Saying]:
    """The first saying of each line; one that stands in the log again is left for the next failure."""
    found = []
    for line in lines:
        known = by_text.get(line)
        if known:
            found.append(known.pop(0) if len(known) > 1 else known[0])
    return found


def _is_near(saying: Saying, key: Saying | None, failure: ToldFailure) -> bool:
    """Whether a rank said it in the step of the failure, and not after it."""
    if saying.rank is None or key is None:
        return saying.rank is not None
    return saying.step == key.step and saying.number <= max(key.number, failure.line)
