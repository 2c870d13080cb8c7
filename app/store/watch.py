"""Repositories whose lists of runs are looked at: how far each is covered, whose turn, what went wrong."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.ids import RepoName, RunId
from app.domain.look_trouble import LookTrouble
from app.domain.repo_name import is_repo_name
from app.domain.run_listing import Covered
from app.store.base import Base, Json, LongText, ShortText
from app.store.outbox import OutboxRow
from app.store.repos import RepoRow
from app.store.runs import AttemptRow, RunRow
from app.store.upsert import ROWS_PER_STATEMENT, chunks, insert_missing

SHOWN = 1000


class WatchRow(Base):
    """Kept by name and not by repository, because a name that GitHub does not know has no repository."""

    __tablename__ = "watched"

    full_name: Mapped[str] = mapped_column(ShortText(300), primary_key=True)
    """In lower case: GitHub's names do not distinguish case."""
    shown_name: Mapped[str] = mapped_column(ShortText(300))
    since: Mapped[datetime]
    seen_until: Mapped[datetime | None]
    open_since: Mapped[datetime | None]
    deep_at: Mapped[datetime | None]
    etags: Mapped[list[str]] = mapped_column(Json)
    """Of the list's first pages in their order, as they were when everything on them was dealt with."""
    found: Mapped[int]
    ordered: Mapped[int]
    left_unread: Mapped[int]
    renamed_to: Mapped[str | None] = mapped_column(ShortText(300))
    looked_at: Mapped[datetime | None]
    tried_at: Mapped[datetime | None]
    trouble: Mapped[str | None] = mapped_column(ShortText(20))
    trouble_told: Mapped[str | None] = mapped_column(LongText)
    trouble_since: Mapped[datetime | None]
    due_at: Mapped[datetime | None]
    claimed_until: Mapped[datetime | None]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look came to: `found` runs were listed, and `ordered` of them are to be read; `left_unread`
    were there at the first look and will never be read.
    """

    covered: Covered
    etags: tuple[str, ...]
    found: int
    ordered: int
    left_unread: int
    renamed_to: RepoName | None


@dataclass(frozen=True, slots=True)
class Watched:
    """`looked_at` is the end of the last look that succeeded, `tried_at` that of the last one of all.

    `seen` is of that last one that succeeded. `due_at` None: at once.
    """

    name: RepoName
    seen: Seen
    looked_at: datetime | None
    tried_at: datetime | None
    trouble: LookTrouble | None
    trouble_told: str
    trouble_since: datetime | None
    due_at: datetime | None

    @property
    def key(self) -> str:
        """The name it is looked at by, in lower case."""
        return self.name.lower()


def claim(
    session: Session, name: RepoName, *, since: datetime, now: datetime, until: datetime
) -> Watched | None:
    """Take the repository's turn until then; None if it is not due or another worker has it.

    One that is looked at for the first time is covered from `since` on.
    """
    _make_row(session, name, since)
    taken = session.execute(
        update(WatchRow)
        .where(
            WatchRow.full_name == name.lower(),
            or_(WatchRow.due_at.is_(None), WatchRow.due_at <= now),
            or_(WatchRow.claimed_until.is_(None), WatchRow.claimed_until <= now),
        )
        .values(claimed_until=until)
        .returning(WatchRow.full_name)
    )
    return _watched(session.get_one(WatchRow, name.lower())) if taken.first() is not None else None


def looked(
    session: Session, name: RepoName, seen: Seen, *, spelt: RepoName, now: datetime, due_at: datetime
) -> None:
    """Note a look that succeeded, in the transaction that orders what it found, and end the turn.

    `spelt` is the same name, as GitHub writes it.
    """
    row = session.get_one(WatchRow, name.lower())
    row.since, row.seen_until = seen.covered.since, seen.covered.seen_until
    row.open_since, row.deep_at = seen.covered.open_since, seen.covered.deep_at
    row.etags, row.found, row.ordered = list(seen.etags), seen.found, seen.ordered
    row.left_unread += seen.left_unread
    row.renamed_to, row.shown_name = seen.renamed_to or row.renamed_to, spelt
    row.looked_at, row.tried_at, row.due_at, row.claimed_until = now, now, due_at, None
    row.trouble, row.trouble_told, row.trouble_since = None, None, None


def failed(
    session: Session, name: RepoName, trouble: LookTrouble, told: str, *, now: datetime, due_at: datetime
) -> None:
    """Note what went wrong and end the turn; `trouble_since` stays while the trouble is the same."""
    row = session.get_one(WatchRow, name.lower())
    if row.trouble != trouble.value:
        row.trouble_since = now
    row.trouble, row.trouble_told = trouble.value, told
    row.tried_at, row.due_at, row.claimed_until = now, due_at, None


def start_over(session: Session, *, alone: bool) -> None:
    """At a worker's start: what failed is due again, since settings may have been mended.

    If this is the only worker, nobody is at a turn that says it is taken.
    """
    session.execute(update(WatchRow).where(WatchRow.trouble.is_not(None)).values(due_at=None))
    if alone:
        session.execute(update(WatchRow).values(claimed_until=None))


def look_from(session: Session, name: RepoName, *, since: datetime) -> None:
    """Have the list looked at once more and at once, and from `since` on if it was covered from later."""
    _make_row(session, name, since)
    row = session.get_one(WatchRow, name.lower())
    row.due_at = None
    if since < row.since:
        row.since, row.etags, row.left_unread = since, [], 0
        row.seen_until = row.open_since = row.looked_at = None


def listed(session: Session) -> list[Watched]:
    """By name, the first thousand: each is one that this service is set up for."""
    statement = select(WatchRow).order_by(WatchRow.full_name).limit(SHOWN)
    return [_watched(row) for row in session.scalars(statement)]


def known_names(session: Session) -> list[RepoName]:
    """Repositories that GitHub has told us about; what was only ingested from files need not exist there, and
    what lost its name to another is not found by it.
    """
    statement = select(RepoRow.shown_name).where(RepoRow.github_id.is_not(None)).order_by(RepoRow.full_name)
    return [RepoName(name) for name in session.scalars(statement) if is_repo_name(name)]


def recorded(session: Session, repo: int, wanted: Collection[RunId]) -> dict[RunId, set[int]]:
    """The attempts that are recorded of GitHub's runs; a run without any is absent."""
    found: dict[RunId, set[int]] = {}
    for some in chunks(sorted(wanted), ROWS_PER_STATEMENT):
        statement = (
            select(RunRow.github_id, AttemptRow.number)
            .join(AttemptRow, AttemptRow.run_id == RunRow.id)
            .where(RunRow.repo_id == repo, RunRow.github_id.in_(some))
        )
        for run, number in session.execute(statement):
            found.setdefault(RunId(run), set()).add(number)
    return found


def ordered(session: Session, keys: Collection[str]) -> set[str]:
    """Those of the orders' keys that somebody has asked for already."""
    found: set[str] = set()
    for some in chunks(sorted(keys), ROWS_PER_STATEMENT):
        found.update(session.scalars(select(OutboxRow.key).where(OutboxRow.key.in_(some))))
    return found


def rename(session: Session, old: RepoName, new: RepoName) -> None:
    """Go on under the new name, unless that is looked at already."""
    row = session.get_one(WatchRow, old.lower())
    if session.get(WatchRow, new.lower()) is None:
        row.full_name, row.shown_name = new.lower(), new
    else:
        session.delete(row)


def _make_row(session: Session, name: RepoName, since: datetime) -> None:
    new = {"full_name": name.lower(), "shown_name": name, "since": since, "etags": []}
    new |= {"found": 0, "ordered": 0, "left_unread": 0}
    insert_missing(session, WatchRow, [new], unique=["full_name"])


def _watched(row: WatchRow) -> Watched:
    return Watched(
        name=RepoName(row.shown_name),
        seen=Seen(
            covered=Covered(row.since, row.seen_until, row.open_since, row.deep_at),
            etags=tuple(row.etags),
            found=row.found,
            ordered=row.ordered,
            left_unread=row.left_unread,
            renamed_to=None if row.renamed_to is None else RepoName(row.renamed_to),
        ),
        looked_at=row.looked_at,
        tried_at=row.tried_at,
        trouble=None if row.trouble is None else LookTrouble(row.trouble),
        trouble_told=row.trouble_told or "",
        trouble_since=row.trouble_since,
        due_at=row.due_at,
    )
