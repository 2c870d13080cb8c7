"""Findings for people: a file's name, and below it each weakness with its tests, its sisters and its mend."""

import textwrap
from collections.abc import Iterable, Iterator

from app.domain.lint.finding import LintFinding, Rule
from app.domain.lint.meanings import MEANINGS
from app.domain.wording import listed
from worker.commands.file_names import spelled
from worker.replay.bundle.story import Line, Tone

INDENT = "      "
WIDTH = 100
"""Columns of a sentence; one in a window that is narrower is folded once more there."""
MOST_SISTERS = 6


def file_story(path: str, findings: Iterable[LintFinding]) -> Iterator[Line]:
    """Lines of text as the file wrote it: whoever prints them has to make them harmless."""
    yield Line(spelled(path), Tone.HEAD)
    for finding in findings:
        yield Line(f"  {finding.line}:{finding.column}  {finding.rule}", Tone.BAD)
        yield from _wrapped(finding.text, INDENT)
        if finding.test:
            yield from _wrapped(_tests(finding), INDENT, Tone.SOFT)
        if finding.window:
            yield from _window(finding)
        if finding.mend:
            yield Line(f"{INDENT}mend:", Tone.SOFT)
            yield from _code(finding.mend, f"{INDENT}    ")
        yield Line("")


def _wrapped(text: str, indent: str, tone: Tone = Tone.PLAIN) -> Iterator[Line]:
    words = textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    yield from (Line(f"{indent}{one}", tone) for one in words)


def _code(text: str, indent: str) -> Iterator[Line]:
    yield from (Line(f"{indent}{one}".rstrip()) for one in text.strip("\n").split("\n"))


def _tests(finding: LintFinding) -> str:
    sisters = [_short(one) for one in finding.sisters]
    also = f"; the same in {listed(sisters, most=MOST_SISTERS)}" if sisters else ""
    return f"in {_short(finding.test or '')}{also}"


def _short(test: str) -> str:
    """Without the file, whose name stands above."""
    return spelled(test.partition("::")[2] or test)


def _window(finding: LintFinding) -> Iterator[Line]:
    window = finding.window
    assert window is not None
    yield Line(f"{INDENT}a mend must stand", Tone.SOFT)
    yield Line(f"{INDENT}    after  line {window.after_line}: {window.after}")
    yield Line(f"{INDENT}    before line {window.before_line}: {window.before}")


def rule_story(rule: Rule) -> Iterator[Line]:
    """What a rule means, with an example, bad and mended."""
    meaning = MEANINGS[rule]
    yield Line(rule.value, Tone.HEAD)
    yield from _wrapped(f"{meaning.short}.", "")
    yield Line("")
    yield from _wrapped(meaning.why, "")
    yield Line("")
    yield Line("Bad", Tone.HEAD)
    yield from _code(meaning.bad, "    ")
    yield Line("")
    yield Line("Mended", Tone.HEAD)
    yield from _code(meaning.mended, "    ")
    yield Line("")
    yield from _wrapped(meaning.mend, "")
