"""Groups: one stable row for each (test base, failure mode)."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint, case, func, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.category import Category
from app.store.base import Base, LongText, ShortText
from app.store.upsert import insert_missing


class GroupRow(Base):
    __tablename__ = "groups"
    __table_args__ = (
        UniqueConstraint("repo_id", "key"),
        Index("ix_groups_last_seen", "repo_id", "last_seen_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repo_id: Mapped[int] = mapped_column(ForeignKey("repos.id"))
    test_id: Mapped[int | None] = mapped_column(ForeignKey("tests.id"), index=True)
    """The test whose failure founded the group; parameters of one test share it."""
    key: Mapped[str] = mapped_column(ShortText(80))
    algorithm: Mapped[int]
    category: Mapped[str] = mapped_column(ShortText(40))
    title: Mapped[str] = mapped_column(LongText)
    opaque: Mapped[bool]
    first_seen_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]


@dataclass(frozen=True, slots=True)
class StoredGroup:
    id: int
    repo: int
    test: int | None
    key: str
    category: Category
    title: str
    opaque: bool
    first_seen_at: datetime
    last_seen_at: datetime


def place(
    session: Session,
    repo: int,
    *,
    key: str,
    test: int | None,
    algorithm: int,
    category: Category,
    title: str,
    opaque: bool,
    seen_at: datetime,
) -> int:
    """Return the key of the group for a signature, founding it if needed, and widen when it was seen."""
    row = {
        "repo_id": repo,
        "test_id": test,
        "key": key,
        "algorithm": algorithm,
        "category": category.value,
        "title": title,
        "opaque": opaque,
        "first_seen_at": seen_at,
        "last_seen_at": seen_at,
    }
    insert_missing(session, GroupRow, [row], unique=["repo_id", "key"])
    earlier, later = GroupRow.first_seen_at > seen_at, GroupRow.last_seen_at < seen_at
    group = session.execute(
        update(GroupRow)
        .where(GroupRow.repo_id == repo, GroupRow.key == key)
        .values(
            first_seen_at=case((earlier, seen_at), else_=GroupRow.first_seen_at),
            last_seen_at=case((later, seen_at), else_=GroupRow.last_seen_at),
        )
        .returning(GroupRow.id)
    )
    return group.scalar_one()


def by_id(session: Session, groups: Collection[int]) -> dict[int, StoredGroup]:
    statement = select(GroupRow).where(GroupRow.id.in_(list(groups)))
    return {row.id: _group(row) for row in session.scalars(statement)}


def newest(session: Session, *, repo: int | None, limit: int) -> list[StoredGroup]:
    statement = select(GroupRow).order_by(GroupRow.last_seen_at.desc(), GroupRow.id).limit(limit)
    if repo is not None:
        statement = statement.where(GroupRow.repo_id == repo)
    return [_group(row) for row in session.scalars(statement)]


def count(session: Session) -> int:
    return session.scalars(select(func.count()).select_from(GroupRow)).one()


def _group(row: GroupRow) -> StoredGroup:
    return StoredGroup(
        id=row.id,
        repo=row.repo_id,
        test=row.test_id,
        key=row.key,
        category=Category(row.category),
        title=row.title,
        opaque=row.opaque,
        first_seen_at=row.first_seen_at,
        last_seen_at=row.last_seen_at,
    )
