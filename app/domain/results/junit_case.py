"""One `<testcase>`: its children's texts and attributes become one outcome, the worst child winning."""

from collections.abc import Mapping
from typing import Final

from app.domain.bounded_text import BoundedText, bounded
from app.domain.outcome import Errored, Failed, Outcome, Skipped
from app.domain.results.junit_words import PASSED, told_outcome

MESSAGE_LIMIT: Final = 16 * 1024
"""Characters of one message; pytest repeats the whole assertion there, most others a line."""
_SHORT_TEXT: Final = 4 * 1024

_ERRORS: Final = frozenset({"error", "rerunError", "flakyError"})
_SKIPS: Final = frozenset({"skipped", "skip", "ignored", "disabled"})
FLAKY: Final = frozenset({"flakyFailure", "flakyError", "rerunFailure", "rerunError"})
"""maven-surefire's report schema: flaky* stand beside a pass, rerun* beside a failure of all attempts."""
VERDICTS: Final = frozenset({"failure", "error"}) | _SKIPS | FLAKY
OUTPUTS: Final = frozenset({"system-out", "system-err"})
WRAPPERS: Final = frozenset({"failures", "errors"})
"""Some writers put a test's verdicts into a list."""


class TextBudget:
    """Characters that all failures of one file may hold together; past it each keeps a short text only."""

    def __init__(self, characters: int = 32 * 1024 * 1024) -> None:
        self._left = characters

    def start(self) -> BoundedText:
        return BoundedText() if self._left > 0 else BoundedText(_SHORT_TEXT // 4, _SHORT_TEXT)

    def spend(self, characters: int) -> None:
        self._left -= characters


class Child:
    """One child that says something of the outcome; `text` grows while the element is open."""

    def __init__(self, name: str, attributes: Mapping[str, str], text: BoundedText) -> None:
        self.name = name
        self.text = text
        self.message = attributes.get("message") or ""
        self.type = attributes.get("type") or ""
        self.file = attributes.get("file") or attributes.get("filename") or ""
        self.line = attributes.get("line") or attributes.get("lineno") or ""

    def to_red(self) -> Failed | Errored:
        message, is_message_cut = bounded(self.message or self.type, MESSAGE_LIMIT // 2, MESSAGE_LIMIT // 2)
        kind = Errored if self.name in _ERRORS else Failed
        return kind(message=message, text=str(self.text), cut=self.text.cut or is_message_cut)

    def to_skipped(self) -> Skipped:
        reason, _ = bounded(self.message or str(self.text).strip(), MESSAGE_LIMIT // 2, MESSAGE_LIMIT // 2)
        return Skipped(reason)


def outcome_of(attributes: Mapping[str, str], children: list[Child]) -> tuple[Outcome, tuple[Outcome, ...]]:
    """Return the outcome and the attempts that the file proves to be earlier ones, in their order.

    A failure that only an attribute tells counts as well; beside children, a word that is merely unknown says
    nothing.
    """
    told = told_outcome(attributes)
    if not children:
        return told, ()
    earlier = tuple(child.to_red() for child in children if child.name in FLAKY)
    red = [child.to_red() for child in children if child.name in {"failure", "error"}]
    if red:
        return _join(red), earlier
    if any(child.name.startswith("rerun") for child in children):
        return earlier[-1], earlier[:-1]  # rerun* stand for attempts that all failed
    if told.kind.is_red:
        return told, earlier
    skips = [child for child in children if child.name in _SKIPS]
    return (skips[0].to_skipped() if skips else PASSED), earlier


def _join(red: list[Failed | Errored]) -> Outcome:
    if len(red) == 1:
        return red[0]
    worst = next((one for one in red if isinstance(one, Errored)), red[0])
    text, cut = bounded("\n\n".join(_with_message(one) for one in red))
    return type(worst)(message=worst.message, text=text, cut=cut or any(one.cut for one in red))


def _with_message(one: Failed | Errored) -> str:
    if not one.text.strip():
        return one.message
    return one.text if one.message in one.text else f"{one.message}\n{one.text}"
