"""The comment on a pull request: is this red mine, why is that said, and what do I do about it?"""

from dataclasses import dataclass
from datetime import datetime

from app.domain import markdown
from app.domain.budget import Passage, fit
from app.domain.failure_entry import FailureLine, Links, entries_of, full_entry, short_entry
from app.domain.gap import Gap
from app.domain.gaps_told import gaps_told
from app.domain.ids import RepoName, Sha
from app.domain.marker import comment_marker
from app.domain.verdict_words import WHOSE_WORDS, kinds_told, shares_told
from app.domain.wording import counted


@dataclass(frozen=True, slots=True)
class Resolved:
    """All that was red is green: `run` is the run that showed it, `earlier` what had been red before."""

    run: int
    at: datetime
    earlier: tuple[FailureLine, ...] = ()


@dataclass(frozen=True, slots=True)
class PullComment:
    """What the comment says of one head commit. `dashboard_url` leads to this pull request's page.

    `resolved` is set once everything is green again, and only then; `verdicts` is then left aside. The gaps
    of the verdicts are shown too and need not be repeated in `gaps`.
    """

    repo: RepoName
    number: int
    head_sha: Sha
    verdicts: tuple[FailureLine, ...]
    dashboard_url: str
    gaps: tuple[Gap, ...] = ()
    resolved: Resolved | None = None
    github_url: str = "https://github.com"


def render_comment(comment: PullComment, *, limit_bytes: int) -> str:
    """The whole body, marker included, in at most `limit_bytes` bytes of UTF-8 (sensibly 1,000 or more).

    Line 1 is the verdict in words, the last line the marker. Equal facts give equal bytes, in whatever order
    they came, so that an unchanged comment needs no write.
    """
    links = Links(comment.repo, comment.github_url)
    entries = entries_of(comment.resolved.earlier if comment.resolved else comment.verdicts)
    passages = [_passage(entry, links, comment) for entry in entries]
    dashboard = markdown.link("dashboard", comment.dashboard_url)
    gaps = {*comment.gaps, *(gap for line in comment.verdicts for gap in line.verdict.gaps)}
    told = gaps_told(gaps, limit_bytes=limit_bytes // 4)
    evidence = f"History and all evidence: {dashboard}."
    marker = comment_marker(comment.repo, comment.number)
    return fit(
        passages,
        head=f"{headline(comment)}\n\n{_subject(comment, links)}",
        foot="\n\n".join(part for part in (told, evidence, marker) if part),
        more=lambda left: f"{counted(left, 'more failure')} on the {dashboard}.",
        limit_bytes=limit_bytes,
    )


def headline(comment: PullComment) -> str:
    """`**2 failures: 1 may be yours, 1 known flake (not yours)**`."""
    if comment.resolved is not None:
        return "**Green again**: no test of this pull request fails now"
    verdicts = [line.verdict for entry in entries_of(comment.verdicts) for line in entry]
    if not verdicts:
        return "**No verdict**: a job is red, and no failing test could be read from it"
    total = counted(len(verdicts), "failure")
    if len({verdict.whose for verdict in verdicts}) == 1:
        return f"**{total}, {WHOSE_WORDS[verdicts[0].whose]}**: {kinds_told(verdicts)}"
    return f"**{total}: {shares_told(verdicts)}**"


def _passage(entry: tuple[FailureLine, ...], links: Links, comment: PullComment) -> Passage:
    brief = short_entry(entry, links, whose=comment.resolved is None)
    full = brief if comment.resolved else full_entry(entry, links)
    return Passage(full=full, brief=brief, count=len(entry))


def _subject(comment: PullComment, links: Links) -> str:
    commit = links.commit(comment.head_sha)
    if comment.resolved is None:
        return f"As tested at commit {commit}."
    since = f"{comment.resolved.at:%Y-%m-%d %H:%M} UTC"
    told = f"Commit {commit} passed in {links.run(comment.resolved.run)} on {since}."
    if comment.resolved.earlier:
        told += " These were red before; what went away without a mend may come back:"
    return told
