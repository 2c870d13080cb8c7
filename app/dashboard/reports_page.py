"""What people were told, or would have been: each comment and alert with its text."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from app.dashboard import parts
from app.dashboard.contexts import Report, ReportsPage
from app.dashboard.links import GitHubLinks
from app.dashboard.url_filters import read_key, read_word
from app.domain.ids import RepoName
from app.domain.marker import without_marker
from app.store import repos
from app.store.screens import report_lines
from app.store.screens.report_lines import ReportLine

SHOWN: Final = 20


def reports_page(
    session: Session, query: Mapping[str, str], github: GitHubLinks, *, posts: bool, now: datetime
) -> ReportsPage:
    """`?repo=` and `&pull=` narrow; a repository that is not known has no reports."""
    only, pull = read_word(query, "repo"), read_key(query, "pull")
    repo = repos.key_of(session, RepoName(only)) if only else None
    is_unknown = bool(only) and repo is None
    found = [] if is_unknown else report_lines.newest(session, repo=repo, pull=pull, limit=SHOWN)
    return ReportsPage(
        title="Reports",
        section="reports",
        asked_at=now,
        posts=posts,
        reports=tuple(_report(one, github) for one in found),
        shown=SHOWN,
    )


def _report(one: ReportLine, github: GitHubLinks) -> Report:
    return Report(
        what=_what(one),
        repo=one.repo_name,
        is_posted=one.is_posted,
        place=_place(one, github),
        at=one.at,
        is_alert=one.pull is None,
        text=parts.Text(without_marker(one.body), "As it is written, in Markdown."),
    )


def _what(one: ReportLine) -> str:
    if one.pull is not None:
        return f"Comment on pull request #{one.pull}"
    return f"Alert on {one.branch} ({one.state}): {one.title}"


def _place(one: ReportLine, github: GitHubLinks) -> parts.Link | None:
    if one.number is None:
        return None
    if one.pull is not None:
        return github.comment(one.repo_name, one.pull, one.number)
    return github.issue(one.repo_name, one.number)
