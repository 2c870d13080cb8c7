"""What was told to people, or would be: comments on pull requests and alerts on branches, newest first."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.domain.ids import RepoName
from app.store.reports import AlertRow, CommentRow
from app.store.repos import RepoRow


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A comment has a `pull`, an alert a `branch`, a `title` and a `state`.

    `number` is GitHub's id of the comment or number of the issue, None where there is none. `is_posted` says
    whether this very text stands there; without it, it is only kept here, and GitHub may hold an older one.
    `at` is when the text became what it is, of an alert when it was last about something new.
    """

    repo_name: RepoName
    pull: int | None
    branch: str | None
    state: str | None
    title: str
    body: str
    number: int | None
    is_posted: bool
    at: datetime


def newest(
    session: Session, *, repo: int | None = None, pull: int | None = None, limit: int
) -> list[ReportLine]:
    """Of one pull request with `pull`, else of one repository with `repo`, our key; else all."""
    found = _comments(session, repo, pull, limit)
    if pull is None:
        found += _alerts(session, repo, limit)
    return sorted(found, key=lambda one: one.at, reverse=True)[:limit]


def _comments(session: Session, repo: int | None, pull: int | None, limit: int) -> list[ReportLine]:
    statement = (
        select(CommentRow, RepoRow.shown_name)
        .join(RepoRow, RepoRow.id == CommentRow.repo_id)
        .order_by(CommentRow.published_at.desc(), CommentRow.id.desc())
        .limit(limit)
    )
    if repo is not None:
        statement = statement.where(CommentRow.repo_id == repo)
    if pull is not None:
        statement = statement.where(CommentRow.pull == pull)
    return [
        ReportLine(
            repo_name=RepoName(name),
            pull=row.pull,
            branch=None,
            state=None,
            title="",
            body=row.body,
            number=row.github_id,
            is_posted=row.is_posted and row.github_id is not None,
            at=row.published_at,
        )
        for row, name in session.execute(statement)
    ]


def _alerts(session: Session, repo: int | None, limit: int) -> list[ReportLine]:
    statement = (
        select(AlertRow, RepoRow.shown_name)
        .join(RepoRow, RepoRow.id == AlertRow.repo_id)
        .order_by(AlertRow.opened_at.desc(), AlertRow.id.desc())
        .limit(limit)
    )
    if repo is not None:
        statement = statement.where(AlertRow.repo_id == repo)
    return [
        ReportLine(
            repo_name=RepoName(name),
            pull=None,
            branch=row.branch,
            state=row.state,
            title=row.title,
            body=row.body,
            number=row.issue,
            is_posted=row.is_posted and row.issue is not None,
            at=_changed_at(row),
        )
        for row, name in session.execute(statement)
    ]


def _changed_at(row: AlertRow) -> datetime:
    times = [datetime.fromisoformat(step["at"]) for step in row.history]
    return max([row.opened_at, *times])
