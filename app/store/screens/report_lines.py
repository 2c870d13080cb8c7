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

    `number` is GitHub's id of the comment or number of the issue; None for what is only kept here. `at` is
    when the text became what it is, of an alert when it was last about something new.
    """

    repo_name: RepoName
    pull: int | None
    branch: str | None
    state: str | None
    title: str
    body: str
    number: int | None
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
        ReportLine(RepoName(name), row.pull, None, None, "", row.body, row.github_id, row.published_at)
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
            RepoName(name), None, row.branch, row.state, row.title, row.body, row.issue, _changed_at(row)
        )
        for row, name in session.execute(statement)
    ]


def _changed_at(row: AlertRow) -> datetime:
    times = [datetime.fromisoformat(step["at"]) for step in row.history]
    return max([row.opened_at, *times])
