"""The own commits of each tested head, fixed when first known: a later merge changes what GitHub says."""

from sqlalchemy import ForeignKey, UniqueConstraint, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.commit_graph import ChangeSet
from app.domain.ids import Sha
from app.store.base import Base, Json, ShortText
from app.store.upsert import insert_or_update


class ChangeRow(Base):
    __tablename__ = "changes"
    __table_args__ = (UniqueConstraint("repo_id", "head"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    repo_id: Mapped[int] = mapped_column(ForeignKey("repos.id"))
    head: Mapped[str] = mapped_column(ShortText(64))
    base: Mapped[str | None] = mapped_column(ShortText(64))
    own: Mapped[list[str]] = mapped_column(Json)
    complete: Mapped[bool]


def remember(session: Session, repo: int, change: ChangeSet) -> None:
    """Keep a change; a complete one is never replaced by an incomplete one."""
    known = of_head(session, repo, change.head)
    if known is not None and known.complete and not change.complete:
        return
    row = {
        "repo_id": repo,
        "head": change.head,
        "base": change.base,
        "own": sorted(change.own),
        "complete": change.complete,
    }
    insert_or_update(
        session, ChangeRow, [row], unique=["repo_id", "head"], replace=["base", "own", "complete"]
    )


def of_head(session: Session, repo: int, head: Sha) -> ChangeSet | None:
    row = session.scalars(
        select(ChangeRow).where(ChangeRow.repo_id == repo, ChangeRow.head == head)
    ).one_or_none()
    if row is None:
        return None
    return ChangeSet(
        head=Sha(row.head),
        base=None if row.base is None else Sha(row.base),
        own=frozenset(Sha(sha) for sha in row.own),
        complete=row.complete,
    )
