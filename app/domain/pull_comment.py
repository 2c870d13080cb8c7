"""The comment on a pull request: is this red mine, why is that said, and what do I do about it?"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain import markdown
from app.domain.budget import Passage, fit
from app.domain.failure_entry import FailureLine, Links, entries_of, full_entry, short_entry
from app.domain.gap import Gap
from app.domain.gaps_told import gaps_told
from app.domain.ids import RepoName, Sha
from app.domain.marker import comment_marker
from app.domain.verdict import Kind, Verdict, Whose
from app.domain.verdict_words import WHOSE_WORDS, kinds_told, shares_told
from app.domain.wording import counted, left_open, listed

NAMED = 5
"""Runs or tests named in one sentence; more are counted."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """All that was red is green: `run` is the run that showed it, `earlier` what had been red before."""

    run: int
    at: datetime
    earlier: tuple[FailureLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """A run by GitHub's id, with its workflow's name."""

    run: int
    workflow: str


@dataclass(frozen=True, slots=True)
class Unproven:
    """No failure stands, and green it is not: `failed` has not passed since, `unread` has ended unread."""

    failed: tuple[FailureLine, ...] = ()
    unread: tuple[Run, ...] = ()


@dataclass(frozen=True, slots=True)
class PullComment:
    """What the comment says of one head commit. `dashboard_url` leads to this pull request's page;
    None: the dashboard is named without a link.

    `resolved` is set once everything is green again, and only then; `unproven` while nothing is red and that
    does not prove it green. `verdicts` is then left aside. `passed_over` are failures in jobs that passed all
    the same, `not_started` red runs without any job. The gaps of the verdicts are shown too and need not be
    repeated in `gaps`.
    """

    repo: RepoName
    number: int
    head_sha: Sha
    verdicts: tuple[FailureLine, ...]
    dashboard_url: str | None
    gaps: tuple[Gap, ...] = ()
    resolved: Resolved | None = None
    unproven: Unproven | None = None
    passed_over: tuple[FailureLine, ...] = ()
    not_started: tuple[Run, ...] = ()
    github_url: str = "https://github.com"
    pages_url: str | None = None
    """Where our pages are, without a slash at the end."""


def render_comment(comment: PullComment, *, limit_bytes: int) -> str:
    """The whole body, marker included, in at most `limit_bytes` bytes of UTF-8 (sensibly 1,000 or more).

    Line 1 is the verdict in words, the last line the marker. Equal facts give equal bytes, in whatever order
    they came, so that an unchanged comment needs no write.
    """
    links = Links(comment.repo, comment.github_url, comment.pages_url)
    entries = entries_of(_listed(comment))
    passages = [_passage(entry, links, comment) for entry in entries]
    dashboard = markdown.link("dashboard", comment.dashboard_url)
    gaps = {*comment.gaps, *(gap for line in comment.verdicts for gap in line.verdict.gaps)}
    told = gaps_told(gaps, limit_bytes=limit_bytes // 4)
    evidence = f"History and all evidence: {dashboard}."
    over = _passed_over(comment.passed_over)
    marker = comment_marker(comment.repo, comment.number)
    return fit(
        passages,
        head=f"{headline(comment)}\n\n{_subject(comment, links)}",
        foot="\n\n".join(part for part in (over, told, evidence, marker) if part),
        more=lambda left: f"{counted(left, 'more failure')} on the {dashboard}.",
        limit_bytes=limit_bytes,
    )


def headline(comment: PullComment) -> str:
    """`**2 failures: 1 may be yours, 1 likely flake (not yours)**`."""
    if comment.resolved is not None:
        return "**Green again**: no test of this pull request fails now"
    if comment.unproven is not None:
        return f"**No failure now, but not proven green**: {_left_open(comment.unproven)}"
    verdicts = [line.verdict for entry in entries_of(comment.verdicts) for line in entry]
    if not verdicts and comment.not_started:
        return "**No verdict**: a workflow could not start, and no test of it ran"
    if not verdicts:
        return "**No verdict**: a job is red, and no failing test could be read from it"
    total = counted(len(verdicts), "failure")
    if len({verdict.whose for verdict in verdicts}) == 1:
        return f"**{total}, {WHOSE_WORDS[verdicts[0].whose]}**: {_kinds(verdicts)}"
    return f"**{total}: {shares_told(verdicts)}**"


def _kinds(verdicts: Sequence[Verdict]) -> str:
    """Beside "not yours", "not decided" alone would read as if that were taken back."""
    if all((one.kind, one.whose) == (Kind.UNDECIDED, Whose.NOT_YOURS) for one in verdicts):
        whose_kind = "its" if len(verdicts) == 1 else "their"
        return f"seen without this change; {whose_kind} kind is not decided yet"
    return kinds_told(verdicts)


def _listed(comment: PullComment) -> tuple[FailureLine, ...]:
    if comment.resolved is not None:
        return comment.resolved.earlier
    return comment.verdicts if comment.unproven is None else comment.unproven.failed


def _left_open(unproven: Unproven) -> str:
    return left_open(len(unproven.failed), len({one.run for one in unproven.unread}))


def _passage(entry: tuple[FailureLine, ...], links: Links, comment: PullComment) -> Passage:
    head = comment.head_sha
    brief = short_entry(entry, links, whose=comment.resolved is None, named=head)
    is_over = comment.resolved is not None or comment.unproven is not None
    full = brief if is_over else full_entry(entry, links, named=head)
    return Passage(full=full, brief=brief, count=len(entry))


def _subject(comment: PullComment, links: Links) -> str:
    """What was tested, and what ended otherwise than by a failed test."""
    told = [_told_of_head(comment, links)]
    told += [
        f"The workflow {markdown.code(one.workflow, 100)} could not start, so no test of it ran "
        f"({links.run(one.run)})."
        for one in sorted(set(comment.not_started), key=lambda one: one.run)[:NAMED]
    ]
    if comment.unproven is not None and comment.unproven.unread:
        unread = sorted(set(comment.unproven.unread), key=lambda one: one.run)
        named = listed(
            [f"{links.run(one.run)} of {markdown.code(one.workflow, 100)}" for one in unread], most=NAMED
        )
        told.append(f"Not read yet: {named}.")
    if comment.unproven is not None and comment.unproven.failed:
        told.append("These failed, and have not been seen to pass since: skipped or left out is not a pass.")
    return "\n\n".join(told)


def _passed_over(lines: tuple[FailureLine, ...]) -> str:
    if not lines:
        return ""
    tests = sorted({line.test or line.seen.job for line in lines})
    named = listed([markdown.code(test, 150) for test in tests], most=NAMED)
    return f"Failed in jobs that passed all the same, which turns nothing red: {named}."


def _told_of_head(comment: PullComment, links: Links) -> str:
    commit = links.commit(comment.head_sha)
    if comment.resolved is None:
        return f"As tested at commit {commit}."
    since = f"{comment.resolved.at:%Y-%m-%d %H:%M} UTC"
    told = f"Commit {commit} passed in {links.run(comment.resolved.run)} on {since}."
    if comment.resolved.earlier:
        told += " These were red before; what went away without a mend may come back:"
    return told
