"""Conclusions, outcomes and verdicts as a word, a shape and a tone."""

from typing import Final

from app.dashboard.parts import Badge, Mark
from app.domain.branch_state import Colour
from app.domain.outcome import OutcomeKind
from app.domain.run import Conclusion
from app.domain.verdict import Kind, Strength
from app.domain.verdict_words import WHOSE_WORDS
from app.store.inbox import DeliveryState
from app.store.screens.failure_lines import Ruling

OF_COLOUR: Final = {
    Colour.RED: Mark("red", "cross", "bad"),
    Colour.GREEN: Mark("green", "check", "good"),
    Colour.UNKNOWN: Mark("not known", "question", "quiet"),
}

NOT_PROVEN: Final = Mark("not proven green", "question", "quiet")
"""Nothing is red now, and something that was has not been seen to pass, or is not read yet."""

OF_OUTCOME: Final = {
    OutcomeKind.PASSED: Mark("passed", "check", "good"),
    OutcomeKind.FAILED: Mark("failed", "cross", "bad"),
    OutcomeKind.ERRORED: Mark("errored", "bang", "bad"),
    OutcomeKind.SKIPPED: Mark("skipped", "dash", "quiet"),
}

NOT_REPORTED: Final = Mark("not in the results", "dot", "quiet")
"""The job was there and said nothing of the test: that is not a pass."""

OF_DELIVERY: Final = {
    DeliveryState.WAITING: Mark("waiting", "clock", "open"),
    DeliveryState.RELAYED: Mark("taken", "check", "good"),
    DeliveryState.IGNORED: Mark("ignored", "dash", "quiet"),
    DeliveryState.UNREADABLE: Mark("unreadable", "bang", "bad"),
}

NOT_JUDGED: Final = Mark("not judged yet", "clock", "quiet")

_OF_KIND: Final = {
    Kind.FLAKY: ("wave", "flake"),
    Kind.NEW_FAILURE: ("bang", "bad"),
    Kind.REGRESSION: ("cross", "bad"),
    Kind.BROKEN_MAIN: ("cross", "bad"),
    Kind.INFRASTRUCTURE: ("plug", "infra"),
    Kind.ORDER_DEPENDENT: ("wave", "flake"),
    Kind.UNDECIDED: ("question", "open"),
}
"""Shape and tone; the word is the kind's own, as programs read it."""

_GRADED: Final = frozenset({Kind.FLAKY, Kind.REGRESSION, Kind.BROKEN_MAIN, Kind.ORDER_DEPENDENT})
"""Kinds whose strength tells a reader something; a new failure is one, however sure we are of it."""


def of_conclusion(conclusion: Conclusion | None) -> Mark:
    if conclusion is None:
        return Mark("not finished", "clock", "open")
    word = conclusion.value.replace("_", " ")
    if conclusion is Conclusion.SUCCESS:
        return Mark(word, "check", "good")
    return Mark(word, "cross", "bad") if conclusion.is_red else Mark(word, "dash", "quiet")


def badge(ruling: Ruling | None, *, opaque: bool, with_whose: bool = True) -> Badge:
    """`with_whose` is false on main, where nobody's pull request is under test."""
    if ruling is None:
        return Badge(NOT_JUDGED, None, opaque)
    return Badge(
        of_kind(ruling.kind, ruling.strength), WHOSE_WORDS[ruling.whose] if with_whose else None, opaque
    )


def of_kind(kind: Kind, strength: Strength) -> Mark:
    glyph, tone = _OF_KIND[kind]
    return Mark(f"{strength} {kind}" if kind in _GRADED else kind.value, glyph, tone)
