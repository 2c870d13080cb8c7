"""What the lint found in the source of a failure's test, as the parts of a page."""

from typing import Final

from app.dashboard.evidence_parts import Weakness, Weaknesses
from app.dashboard.links import GitHubLinks
from app.domain.ids import RepoName
from app.domain.lint.finding import LintFinding
from app.domain.wording import counted
from app.store.lints import Linted

SISTERS_SHOWN: Final = 12


def weaknesses(linted: Linted, repo: RepoName, github: GitHubLinks) -> Weaknesses:
    left = linted.found - len(linted.findings)
    told = counted(linted.found, "weakness", "weaknesses")
    notes = [linted.note, f"{left} more are not shown" if left else ""]
    return Weaknesses(
        heading=f"Why this failure cannot say more: {told}" if linted.found else "Weaknesses of its test",
        file=github.file(repo, linted.commit, linted.path),
        note="; ".join(note for note in notes if note),
        found=tuple(_weakness(one, linted, repo, github) for one in linted.findings),
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
