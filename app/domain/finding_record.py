"""A finding of the lint as plain JSON and back, cut to what may be kept: it quotes a file of strangers."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from app.domain.lint.finding import LintFinding, Rule, Window

MOST_FINDINGS: Final = 300
MOST_CHARACTERS: Final = 500_000
"""Of all findings of a file together."""
LONGEST_TEXT: Final = 2_000
LONGEST_MEND: Final = 8_000
MOST_SISTERS: Final = 50
LONGEST_NAME: Final = 500


def bounded(findings: Sequence[LintFinding]) -> tuple[LintFinding, ...]:
    """The first ones, each with its texts cut."""
    kept: list[LintFinding] = []
    left = MOST_CHARACTERS
    for finding in findings[:MOST_FINDINGS]:
        cut = _cut(finding)
        left -= len(cut.text) + len(cut.mend) + sum(map(len, cut.sisters))
        if left < 0:
            break
        kept.append(cut)
    return tuple(kept)


def _cut(finding: LintFinding) -> LintFinding:
    window = finding.window
    return replace(
        finding,
        test=None if finding.test is None else finding.test[:LONGEST_NAME],
        text=finding.text[:LONGEST_TEXT],
        mend=finding.mend[:LONGEST_MEND],
        sisters=tuple(one[:LONGEST_NAME] for one in finding.sisters[:MOST_SISTERS]),
        window=None
        if window is None
        else replace(window, after=window.after[:LONGEST_NAME], before=window.before[:LONGEST_NAME]),
    )


def to_record(finding: LintFinding) -> dict[str, Any]:
    return asdict(finding) | {"rule": finding.rule.value, "sisters": list(finding.sisters)}


def from_record(plain: dict[str, Any]) -> LintFinding:
    """Of what `to_record` made; raises KeyError, TypeError or ValueError for anything else."""
    window = plain["window"]
    known = plain | {
        "rule": Rule(plain["rule"]),
        "sisters": tuple(plain["sisters"]),
        "window": None if window is None else Window(**window),
    }
    return LintFinding(**known)
