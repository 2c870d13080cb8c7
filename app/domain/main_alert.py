"""The alert on a red main: one text that opens, is updated in place, and ends with one all-clear."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from app.domain import markdown
from app.domain.alert_words import red_told
from app.domain.budget import Passage, fit
from app.domain.failure_entry import Entry, FailureLine, Links, entries_of, full_entry, short_entry, step_told
from app.domain.gap import Gap
from app.domain.gaps_told import gaps_told
from app.domain.ids import RepoName, Sha
from app.domain.marker import alert_marker
from app.domain.verdict_words import kinds_told
from app.domain.wording import counted, short

TITLE_CHARS = 200
"""GitHub takes 256."""

NAMED_CANDIDATES = 15
HISTORY_ROWS = 30


class AlertStep(StrEnum):
    OPENED = "opened"
    UPDATED = "updated"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class AlertEvent:
    """One line of the alert's history; `text` says what changed."""

    at: datetime
    step: AlertStep
    sha: Sha
    text: str = ""
    run: int | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A commit that can have brought the failure."""

    sha: Sha
    subject: str = ""
    author: str | None = None


@dataclass(frozen=True, slots=True)
class AllClear:
    """The run that showed the branch green again."""

    sha: Sha
    run: int
    at: datetime


@dataclass(frozen=True, slots=True)
class MainAlert:
    """Why the branch is red. `candidates` are newest first; `failures` stay when it is green again."""

    repo: RepoName
    branch: str
    red_since: Sha
    opened_at: datetime
    failures: tuple[FailureLine, ...]
    dashboard_url: str | None
    candidates: tuple[Candidate, ...] = ()
    last_green: Sha | None = None
    history: tuple[AlertEvent, ...] = ()
    gaps: tuple[Gap, ...] = ()
    all_clear: AllClear | None = None
    github_url: str = "https://github.com"
    pages_url: str | None = None
    """Where our pages are, without a slash at the end."""


@dataclass(frozen=True, slots=True)
class AlertText:
    """`title` is plain text on one line; `body` is Markdown and ends with the marker."""

    title: str
    body: str


def render_alert(alert: MainAlert, *, limit_bytes: int = 60_000) -> AlertText:
    """Title and body; equal facts give equal bytes. The body takes at most `limit_bytes` bytes of UTF-8."""
    links = Links(alert.repo, alert.github_url, alert.pages_url)
    entries = entries_of(alert.failures)
    gaps = {*alert.gaps, *(gap for line in alert.failures for gap in line.verdict.gaps)}
    dashboard = markdown.link("dashboard", alert.dashboard_url)
    step = step_told(entries[0], links, on_main=True) if entries and not alert.all_clear else ""
    fails = "What failed:" if entries else ""
    head = (_lead(alert, links), step, _candidates(alert, links), fails)
    foot = (
        gaps_told(gaps, limit_bytes=limit_bytes // 6),
        _history(alert.history, links),
        f"Evidence and later runs: {dashboard}.",
        alert_marker(alert.repo, alert.branch),
    )
    body = fit(
        [_passage(entry, links, alert, with_step=entry is not entries[0]) for entry in entries],
        head="\n\n".join(part for part in head if part),
        foot="\n\n".join(part for part in foot if part),
        more=lambda left: f"{counted(left, 'more failure')} on the {dashboard}.",
        limit_bytes=limit_bytes,
    )
    return AlertText(title=_title(alert, entries), body=body)


def render_double(repo: RepoName, branch: str, kept: int) -> str:
    """The body of an issue that was opened beside the one that holds the alert, and is closed again."""
    said = f"Opened by mistake beside #{kept:d}, which tells what this told, and is kept up to date."
    return f"{said}\n\n{alert_marker(repo, branch)}"


def _title(alert: MainAlert, entries: tuple[Entry, ...]) -> str:
    state = "was red from" if alert.all_clear else "is red since"
    told = f"{markdown.one_line(alert.branch, 60)} {state} {short(alert.red_since)}"
    if entries:
        told += f": {kinds_told([line.verdict for entry in entries for line in entry])}"
    if len(entries) == 1 and entries[0][0].test:
        told += f" in {markdown.one_line(entries[0][0].test.rpartition('::')[2], 120)}"
    return markdown.one_line(told, TITLE_CHARS)


def _lead(alert: MainAlert, links: Links) -> str:
    branch, since = markdown.code(alert.branch, 100), links.commit(alert.red_since)
    kind = f"{markdown.inline(red_told(alert.failures))}."
    clear = alert.all_clear
    if clear is None:
        return f"**{branch} is red since {since}** ({_utc(alert.opened_at)}): {kind}"
    return (
        f"**{branch} is green again** since {links.commit(clear.sha)}: {links.run(clear.run)} passed on "
        f"{_utc(clear.at)}. It was red for {_lasted(clear.at - alert.opened_at)}, since {since}.\n\n"
        f"What it was: {kind}"
    )


def _candidates(alert: MainAlert, links: Links) -> str:
    green = f", since {links.commit(alert.last_green)} was green" if alert.last_green else ""
    if not alert.candidates and alert.all_clear is not None:
        return ""
    if not alert.candidates:
        return f"Which commits can have brought it is not known{green}."
    rows = [_candidate(candidate, links) for candidate in alert.candidates[:NAMED_CANDIDATES]]
    left = len(alert.candidates) - len(rows)
    more = [f"- {counted(left, 'more commit')}"] if left else []
    return "\n".join([f"Commits that can have brought it, newest first{green}:", "", *rows, *more])


def _candidate(candidate: Candidate, links: Links) -> str:
    subject = f" {markdown.inline(candidate.subject, 100)}" if candidate.subject else ""
    author = f" ({markdown.inline(candidate.author, 60)})" if candidate.author else ""
    return f"- {links.commit(candidate.sha)}{subject}{author}"


def _passage(entry: Entry, links: Links, alert: MainAlert, *, with_step: bool) -> Passage:
    """The step for the first failure stands at the top already."""
    brief = short_entry(entry, links, whose=False)
    full = brief if alert.all_clear else full_entry(entry, links, on_main=True, with_step=with_step)
    return Passage(full=full, brief=brief, count=len(entry))


def _history(events: Iterable[AlertEvent], links: Links) -> str:
    rows = sorted(events, key=lambda event: (event.at, event.step, event.sha, event.text))
    if not rows:
        return ""
    left = max(0, len(rows) - HISTORY_ROWS)
    kept = [*rows[:1], *rows[left + 1 :]] if left else rows
    note = f"\n\n{counted(left, 'update')} left out." if left else ""
    table = "\n".join(_event(event, links) for event in kept)
    return f"| when (UTC) | what | commit | run |\n|---|---|---|---|\n{table}{note}"


def _event(event: AlertEvent, links: Links) -> str:
    said = f": {markdown.inline(event.text, 200)}" if event.text else ""
    run = links.run(event.run) if event.run is not None else ""
    return f"| {event.at:%Y-%m-%d %H:%M} | {event.step}{said} | {links.commit(event.sha)} | {run} |"


def _utc(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _lasted(span: timedelta) -> str:
    minutes = max(0, int(span.total_seconds())) // 60
    days, rest = divmod(minutes, 24 * 60)
    parts = [counted(days, "day")] if days else []
    parts += [f"{rest // 60} h"] if rest >= 60 else []  # noqa: PLR2004 - minutes of an hour
    return " ".join([*parts, f"{rest % 60} min"])
