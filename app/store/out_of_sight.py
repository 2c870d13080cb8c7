"""What is known to be out of sight of a repository's past: removed as too old, or left unread at first."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.store import measures
from app.store.repos import RepoRow
from app.store.watch import WatchRow

REMOVED = "removed attempts"
"""By our key of the repository: until when it was recorded what is gone as a whole."""


@dataclass(frozen=True, slots=True)
class LeftUnread:
    """Runs, of any branch, that had ended before then when the list was first looked at."""

    runs: int
    before: datetime


def note_removed(session: Session, repo: int, *, recorded_at: datetime) -> None:
    """An attempt recorded then was removed as a whole, so that no row tells of it any more."""
    known = removed_until(session, repo)
    if known is None or known < recorded_at:
        measures.note(session, REMOVED, {str(repo): 0}, at=recorded_at)


def removed_until(session: Session, repo: int) -> datetime | None:
    """What began before then may be gone; None: nothing is."""
    known = measures.one(session, REMOVED, str(repo))
    return None if known is None else known.at


def left_unread(session: Session, repo: int) -> LeftUnread | None:
    """None if the first look, if any, left nothing that it listed."""
    statement = (
        select(WatchRow.left_unread, WatchRow.since)
        .join(RepoRow, RepoRow.full_name == WatchRow.full_name)
        .where(RepoRow.id == repo, WatchRow.left_unread > 0)
    )
    found = session.execute(statement).one_or_none()
    return None if found is None else LeftUnread(*found)
