"""What we told people: one comment a pull request, one alert an episode of red."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, ForeignKey, Index, UniqueConstraint, select, text, true
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.ids import Sha
from app.domain.main_alert import AlertEvent, AlertStep
from app.store.base import Base, Json, LongText, ShortText
from app.store.upsert import insert_or_update


class CommentRow(Base):
    __tablename__ = "pull_comments"
    __table_args__ = (UniqueConstraint("repo_id", "pull"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    repo_id: Mapped[int] = mapped_column(ForeignKey("repos.id"))
    pull: Mapped[int]
    github_id: Mapped[int | None]
    body: Mapped[str] = mapped_column(LongText)
    published_at: Mapped[datetime]
    is_posted: Mapped[bool] = mapped_column(server_default=true())


class AlertState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


class AlertRow(Base):
    """One episode of a red branch, from the first red commit to the first green one after it."""

    __tablename__ = "alerts"
    __table_args__ = (
        Index(
            "uq_alerts_open",
            "repo_id",
            "branch",
            unique=True,
            sqlite_where=text("state = 'open'"),
            postgresql_where=text("state = 'open'"),
        ),
        UniqueConstraint("repo_id", "branch", "opened_on"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repo_id: Mapped[int] = mapped_column(ForeignKey("repos.id"))
    branch: Mapped[str] = mapped_column(ShortText(300))
    state: Mapped[str] = mapped_column(ShortText(20))
    opened_on: Mapped[str] = mapped_column(ShortText(64))
    opened_at: Mapped[datetime]
    closed_on: Mapped[str | None] = mapped_column(ShortText(64))
    closed_at: Mapped[datetime | None]
    issue: Mapped[int | None]
    title: Mapped[str] = mapped_column(LongText, default="")
    body: Mapped[str] = mapped_column(LongText, default="")
    """What the issue holds, or should hold as soon as it is published."""
    history: Mapped[list[dict[str, Any]]] = mapped_column(Json)
    is_posted: Mapped[bool] = mapped_column(server_default=true())


@dataclass(frozen=True, slots=True)
class Alert:
    """`repo` is our key; `issue` is GitHub's number, None until one was opened.

    `is_posted` is False while the alert is only kept here, because posting is switched off.
    """

    repo: int
    branch: str
    state: AlertState
    opened_on: Sha
    opened_at: datetime
    closed_on: Sha | None = None
    closed_at: datetime | None = None
    issue: int | None = None
    title: str = ""
    body: str = ""
    history: tuple[AlertEvent, ...] = ()
    is_posted: bool = True


@dataclass(frozen=True, slots=True)
class PublishedComment:
    """`github_id` is None for one that never stood on GitHub. `is_posted` is False while this text is only
    kept here, because posting is switched off; with an id, GitHub then holds an older one.
    """

    github_id: int | None
    body: str
    published_at: datetime
    is_posted: bool


def comment(session: Session, repo: int, pull: int) -> PublishedComment | None:
    row = session.scalars(
        select(CommentRow).where(CommentRow.repo_id == repo, CommentRow.pull == pull)
    ).one_or_none()
    if row is None:
        return None
    return PublishedComment(row.github_id, row.body, row.published_at, row.is_posted)


def remember_comment(session: Session, repo: int, pull: int, *, comment: PublishedComment) -> None:
    """Replace what was known of the pull request's one comment."""
    facts = {
        "github_id": comment.github_id,
        "body": comment.body,
        "published_at": comment.published_at,
        "is_posted": comment.is_posted,
    }
    row = {"repo_id": repo, "pull": pull, **facts}
    insert_or_update(session, CommentRow, [row], unique=["repo_id", "pull"], replace=list(facts))


def open_alert(session: Session, repo: int, branch: str) -> Alert | None:
    return _one_alert(session, AlertRow.repo_id == repo, AlertRow.branch == branch, AlertRow.state == "open")


def alert_of(session: Session, repo: int, branch: str, opened_on: Sha) -> Alert | None:
    return _one_alert(
        session, AlertRow.repo_id == repo, AlertRow.branch == branch, AlertRow.opened_on == opened_on
    )


def newest_alerts(session: Session, *, repo: int | None, limit: int) -> list[Alert]:
    statement = select(AlertRow).order_by(AlertRow.opened_at.desc(), AlertRow.id.desc()).limit(limit)
    if repo is not None:
        statement = statement.where(AlertRow.repo_id == repo)
    return [_alert(row) for row in session.scalars(statement)]


def save_alert(session: Session, alert: Alert) -> None:
    """Store an alert by its key (repository, branch, commit it opened on), replacing its state."""
    row = {
        "repo_id": alert.repo,
        "branch": alert.branch,
        "opened_on": alert.opened_on,
        "opened_at": alert.opened_at,
        "state": alert.state.value,
        "closed_on": alert.closed_on,
        "closed_at": alert.closed_at,
        "issue": alert.issue,
        "title": alert.title,
        "body": alert.body,
        "history": [_event_json(event) for event in alert.history],
        "is_posted": alert.is_posted,
    }
    key = ["repo_id", "branch", "opened_on"]
    facts = [name for name in row if name not in key]
    insert_or_update(session, AlertRow, [row], unique=key, replace=facts)


def _one_alert(session: Session, *where: ColumnElement[bool]) -> Alert | None:
    row = session.scalars(select(AlertRow).where(*where)).one_or_none()
    return None if row is None else _alert(row)


def _alert(row: AlertRow) -> Alert:
    return Alert(
        repo=row.repo_id,
        branch=row.branch,
        state=AlertState(row.state),
        opened_on=Sha(row.opened_on),
        opened_at=row.opened_at,
        closed_on=None if row.closed_on is None else Sha(row.closed_on),
        closed_at=row.closed_at,
        issue=row.issue,
        title=row.title,
        body=row.body,
        history=tuple(
            AlertEvent(
                at=datetime.fromisoformat(event["at"]),
                step=AlertStep(event["step"]),
                sha=Sha(event["sha"]),
                text=event["text"],
                run=event["run"],
            )
            for event in row.history
        ),
        is_posted=row.is_posted,
    )


def _event_json(event: AlertEvent) -> dict[str, Any]:
    return {
        "at": event.at.isoformat(),
        "step": event.step.value,
        "sha": event.sha,
        "text": event.text,
        "run": event.run,
    }
