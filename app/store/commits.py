"""Commits, their trees and parents, and how two of them relate; facts that never change once known."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ForeignKey, UniqueConstraint, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.ids import Sha, TreeSha
from app.store.base import Base, Json, LongText, ShortText
from app.store.upsert import insert_or_update


class CommitRow(Base):
    __tablename__ = "commits"
    __table_args__ = (UniqueConstraint("repo_id", "sha"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    repo_id: Mapped[int] = mapped_column(ForeignKey("repos.id"))
    sha: Mapped[str] = mapped_column(ShortText(64))
    tree: Mapped[str | None] = mapped_column(ShortText(64))
    parents: Mapped[list[str] | None] = mapped_column(Json)
    subject: Mapped[str | None] = mapped_column(LongText)
    author: Mapped[str | None] = mapped_column(ShortText(200))
    branch: Mapped[str | None] = mapped_column(ShortText(300))
    pull: Mapped[int | None]
    committed_at: Mapped[datetime | None]


class RelationRow(Base):
    """`compare(base, head)`, kept because both ends are fixed commits: the answer cannot change."""

    __tablename__ = "commit_relations"
    __table_args__ = (UniqueConstraint("repo_id", "base", "head"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    repo_id: Mapped[int] = mapped_column(ForeignKey("repos.id"))
    base: Mapped[str] = mapped_column(ShortText(64))
    head: Mapped[str] = mapped_column(ShortText(64))
    merge_base: Mapped[str] = mapped_column(ShortText(64))
    ahead_by: Mapped[int]
    behind_by: Mapped[int]
    own: Mapped[list[str]] = mapped_column(Json)
    complete: Mapped[bool]


@dataclass(frozen=True, slots=True)
class CommitFacts:
    sha: Sha
    tree: TreeSha | None = None
    parents: tuple[Sha, ...] | None = None
    """None while not known; empty for a root commit."""
    subject: str | None = None
    author: str | None = None
    branch: str | None = None
    pull: int | None = None
    committed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class CommitRelation:
    """`own` are commits of `head` that `base` does not have; `complete` is False if GitHub cut the list."""

    base: Sha
    head: Sha
    merge_base: Sha
    ahead_by: int
    behind_by: int
    own: tuple[Sha, ...]
    complete: bool


def remember(session: Session, repo: int, commits: Iterable[CommitFacts]) -> None:
    """Store commits; a fact that is not known (None) never erases one that is."""
    by_facts: dict[tuple[str, ...], dict[Sha, dict[str, object]]] = {}
    for commit in commits:
        known = {
            "tree": commit.tree,
            "parents": None if commit.parents is None else list(commit.parents),
            "subject": commit.subject,
            "author": commit.author,
            "branch": commit.branch,
            "pull": commit.pull,
            "committed_at": commit.committed_at,
        }
        facts = {name: value for name, value in known.items() if value is not None}
        row = {"repo_id": repo, "sha": commit.sha} | facts
        by_facts.setdefault(tuple(facts), {})[commit.sha] = row
    for names, rows in by_facts.items():
        unique = ["repo_id", "sha"]
        insert_or_update(session, CommitRow, list(rows.values()), unique=unique, replace=names or ["sha"])


def by_sha(session: Session, repo: int, shas: Collection[Sha]) -> dict[Sha, CommitFacts]:
    statement = select(CommitRow).where(CommitRow.repo_id == repo, CommitRow.sha.in_(list(shas)))
    return {Sha(row.sha): _facts(row) for row in session.scalars(statement)}


def trees(session: Session, repo: int) -> dict[Sha, TreeSha]:
    """Every tree that is known, by its commit."""
    statement = select(CommitRow.sha, CommitRow.tree).where(
        CommitRow.repo_id == repo, CommitRow.tree.is_not(None)
    )
    return {Sha(sha): TreeSha(tree) for sha, tree in session.execute(statement) if tree is not None}


def remember_relation(session: Session, repo: int, relation: CommitRelation) -> None:
    row = {
        "repo_id": repo,
        "base": relation.base,
        "head": relation.head,
        "merge_base": relation.merge_base,
        "ahead_by": relation.ahead_by,
        "behind_by": relation.behind_by,
        "own": list(relation.own),
        "complete": relation.complete,
    }
    insert_or_update(
        session, RelationRow, [row], unique=["repo_id", "base", "head"], replace=["own", "complete"]
    )


def relation(session: Session, repo: int, base: Sha, head: Sha) -> CommitRelation | None:
    row = session.scalars(
        select(RelationRow).where(
            RelationRow.repo_id == repo, RelationRow.base == base, RelationRow.head == head
        )
    ).one_or_none()
    if row is None:
        return None
    return CommitRelation(
        base=Sha(row.base),
        head=Sha(row.head),
        merge_base=Sha(row.merge_base),
        ahead_by=row.ahead_by,
        behind_by=row.behind_by,
        own=tuple(Sha(sha) for sha in row.own),
        complete=row.complete,
    )


def _facts(row: CommitRow) -> CommitFacts:
    return CommitFacts(
        sha=Sha(row.sha),
        tree=None if row.tree is None else TreeSha(row.tree),
        parents=None if row.parents is None else tuple(Sha(sha) for sha in row.parents),
        subject=row.subject,
        author=row.author,
        branch=row.branch,
        pull=row.pull,
        committed_at=row.committed_at,
    )
