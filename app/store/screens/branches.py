"""Repositories with their default branch, the open alert of each, and the commits that came since green."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from app.domain.ids import RepoName, Sha
from app.store.commits import CommitRow, RelationRow
from app.store.expressions import by_code_points
from app.store.reports import AlertRow, AlertState
from app.store.repos import RepoRow


@dataclass(frozen=True, slots=True)
class Repository:
    key: int
    name: RepoName
    default_branch: str


@dataclass(frozen=True, slots=True)
class OpenAlert:
    """`sentence` is what was told last; `issue` is GitHub's number, None until it was opened."""

    opened_on: Sha
    opened_at: datetime
    issue: int | None
    sentence: str


@dataclass(frozen=True, slots=True)
class ClosedAlert:
    opened_at: datetime
    closed_at: datetime
    issue: int | None
    sentence: str


@dataclass(frozen=True, slots=True)
class CommitLine:
    sha: Sha
    subject: str | None
    author: str | None
    pull: int | None


Step = tuple[int, Sha, Sha]
"""A repository, its last green head, and the first red one after it."""


def repositories(session: Session, *, limit: int) -> list[Repository]:
    """By name; served by the unique key."""
    statement = select(RepoRow).order_by(by_code_points(RepoRow.full_name)).limit(limit)
    return [
        Repository(row.id, RepoName(row.shown_name), row.default_branch) for row in session.scalars(statement)
    ]


def open_alerts(session: Session, *, limit: int) -> dict[tuple[int, str], OpenAlert]:
    """By repository and branch; served by uq_alerts_open."""
    statement = (
        select(AlertRow).where(AlertRow.state == AlertState.OPEN.value).order_by(AlertRow.id).limit(limit)
    )
    return {
        (row.repo_id, row.branch): OpenAlert(
            opened_on=Sha(row.opened_on),
            opened_at=row.opened_at,
            issue=row.issue,
            sentence=row.history[-1]["text"] if row.history else row.title,
        )
        for row in session.scalars(statement)
    }


def last_closed(session: Session, repositories: list[int]) -> dict[int, ClosedAlert]:
    """The newest episode of red that has ended, of each repository's default branch.

    Served by the unique key of alerts; an episode is rare, so the rows of one repository are few.
    """
    statement = (
        select(AlertRow)
        .join(RepoRow, (RepoRow.id == AlertRow.repo_id) & (RepoRow.default_branch == AlertRow.branch))
        .where(AlertRow.repo_id.in_(repositories), AlertRow.closed_at.is_not(None))
        .order_by(AlertRow.closed_at.desc(), AlertRow.id)
        .limit(500)
    )
    found: dict[int, ClosedAlert] = {}
    for row in session.scalars(statement):
        if row.closed_at is not None:
            told = [step["text"] for step in row.history if step["step"] != "closed"]
            ended = ClosedAlert(row.opened_at, row.closed_at, row.issue, told[-1] if told else "")
            found.setdefault(row.repo_id, ended)
    return found


def commits_between(session: Session, steps: list[Step]) -> dict[Step, tuple[Sha, ...] | None]:
    """The commits that came between green and red, as far as GitHub was asked; None where it was not.

    Served by the unique key of commit_relations. A list that GitHub cut counts as not known.
    """
    if not steps:
        return {}
    which = [
        (RelationRow.repo_id == repo) & (RelationRow.base == green) & (RelationRow.head == red)
        for repo, green, red in steps
    ]
    found = session.scalars(select(RelationRow).where(or_(*which)).limit(len(steps)))
    known = {
        (row.repo_id, Sha(row.base), Sha(row.head)): tuple(Sha(sha) for sha in row.own)
        for row in found
        if row.complete
    }
    return {step: known.get(step) for step in steps}


def commit_lines(session: Session, commits: set[tuple[int, Sha]]) -> dict[tuple[int, Sha], CommitLine]:
    """What is known of commits; one that nobody asked GitHub about is absent. Served by the unique key."""
    if not commits:
        return {}
    statement = (
        select(CommitRow)
        .where(
            CommitRow.repo_id.in_({repo for repo, _sha in commits}),
            CommitRow.sha.in_({sha for _repo, sha in commits}),
        )
        .limit(1000)
    )
    return {
        (row.repo_id, Sha(row.sha)): CommitLine(Sha(row.sha), row.subject, row.author, row.pull)
        for row in session.scalars(statement)
    }
