"""What the lint found in the source of a failure's test, as the parts of a page."""

from typing import Final

from app.dashboard.evidence_parts import Weakness, Weaknesses
from app.dashboard.links import GitHubLinks
from app.domain.ids import RepoName
from app.domain.lint.finding import LintFinding
from app.domain.outcome import TestId
from app.domain.weaknesses import weaknesses_of
from app.domain.wording import counted
from app.store.lints import Linted

SHOWN: Final = 60
SISTERS_SHOWN: Final = 12


def weaknesses(linted: Linted, test: TestId, repo: RepoName, github: GitHubLinks) -> Weaknesses:
    """Of the test alone; those of others are counted."""
    own = weaknesses_of(test, linted.path, linted.findings)
    others = linted.found - len(own)
    told = counted(others, "weakness", "weaknesses")
    notes = [linted.note, f"{told} of other tests in this file not shown." if others else ""]
    if linted.digest is not None and not linted.note and not own:
        notes.insert(0, "The lint knows nothing in it that hides why this test fails.")
    return Weaknesses(
        heading=f"Why this failure cannot say more: {counted(len(own), 'weakness', 'weaknesses')}"
        if own
        else "The source of its test",
        file=github.file(repo, linted.commit, linted.path),
        note=" ".join(note for note in notes if note),
        found=tuple(_weakness(one, linted, repo, github) for one in own[:SHOWN]),
    )


def _weakness(finding: LintFinding, linted: Linted, repo: RepoName, github: GitHubLinks) -> Weakness:
    window = finding.window
    more = len(finding.sisters) - SISTERS_SHOWN
    return Weakness(
        place=github.file(repo, linted.commit, linted.path, line=finding.line),
        rule=finding.rule.value,
        text=finding.text,
        window=""
        if window is None
        else f"A mend must stand after line {window.after_line}, {window.after}, and before line "
        f"{window.before_line}, {window.before}.",
        mend=finding.mend,
        test=finding.test or "",
        sisters=finding.sisters[:SISTERS_SHOWN],
        more_sisters=f"and {more} more" if more > 0 else "",
    )
