"""Findings for people: a file's name, and below it each weakness with its tests, its sisters and its mend."""

from collections.abc import Iterable, Iterator

from app.domain.lint.finding import LintFinding, Rule
from app.domain.lint.meanings import MEANINGS
from app.domain.wording import listed
from worker.commands.lint_names import spelled
from worker.replay.bundle.story import Line, Tone

INDENT = "      "
MOST_SISTERS = 6


def file_story(path: str, findings: Iterable[LintFinding]) -> Iterator[Line]:
    """Lines of text as the file wrote it: whoever prints them has to make them harmless."""
    yield Line(spelled(path), Tone.HEAD)
    for finding in findings:
        yield Line(f"  {finding.line}:{finding.column}  {finding.rule}", Tone.BAD)
        yield Line(f"{INDENT}{finding.text}")
        if finding.test:
            yield Line(f"{INDENT}{_tests(finding)}", Tone.SOFT)
        if finding.window:
            yield from _window(finding)
        if finding.mend:
            yield Line(f"{INDENT}mend:", Tone.SOFT)
            yield from (Line(f"{INDENT}    {one}") for one in finding.mend.split("\n"))
        yield Line("")


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
    yield Line(f"{meaning.short}.")
    yield Line("")
    yield Line(meaning.why)
    yield Line("")
    yield Line("Bad", Tone.HEAD)
    yield from (Line(f"    {one}".rstrip()) for one in meaning.bad.split("\n"))
    yield Line("")
    yield Line("Mended", Tone.HEAD)
    yield from (Line(f"    {one}".rstrip()) for one in meaning.mended.split("\n"))
    yield Line("")
    yield Line(meaning.mend)
