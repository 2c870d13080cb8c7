"""Repositories and their pull requests, as last seen."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ForeignKey, UniqueConstraint, func, select, tuple_, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.ids import RepoName, Sha
from app.domain.repo_name import former_name, is_repo_name
from app.domain.run import PullRequest
from app.store.base import Base, LongText, ShortText
from app.store.upsert import insert_missing, insert_or_update


class RepoRow(Base):
    __tablename__ = "repos"

    id: Mapped[int] = mapped_column(primary_key=True)
    full_name: Mapped[str] = mapped_column(ShortText(300), unique=True)
    """In lower case: GitHub's names do not distinguish case. `shown_name` keeps the spelling."""
    shown_name: Mapped[str] = mapped_column(ShortText(300))
    github_id: Mapped[int | None] = mapped_column(index=True)
    default_branch: Mapped[str] = mapped_column(ShortText(300), default="main")


class PullRow(Base):
    __tablename__ = "pulls"
    __table_args__ = (UniqueConstraint("repo_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    repo_id: Mapped[int] = mapped_column(ForeignKey("repos.id"))
    number: Mapped[int]
    title: Mapped[str] = mapped_column(LongText)
    author: Mapped[str | None] = mapped_column(ShortText(100))
    head_sha: Mapped[str] = mapped_column(ShortText(64), index=True)
    head_branch: Mapped[str] = mapped_column(ShortText(300))
    base_branch: Mapped[str] = mapped_column(ShortText(300))
    is_open: Mapped[bool]
    merged_at: Mapped[datetime | None]


def remember(
    session: Session, name: RepoName, *, github_id: int | None = None, default_branch: str | None = None
) -> int:
    """Return the repository's key, making its row if needed; known facts replace older ones.

    GitHub's id outlives a name: a renamed repository keeps its key and all that is known of it, and one that
    was made anew under a known name gets a key of its own. What was known without an id adopts one.
    """
    if github_id is not None:
        _take_name(session, name, github_id)
        _follow_rename(session, name, github_id)
    new = {"full_name": name.lower(), "shown_name": name, "default_branch": default_branch or "main"}
    insert_missing(session, RepoRow, [new | {"github_id": github_id}], unique=["full_name"])
    row = session.scalars(select(RepoRow).where(RepoRow.full_name == name.lower())).one()
    if github_id is not None:
        row.github_id, row.shown_name = github_id, name
    if default_branch is not None:
        row.default_branch = default_branch
    return row.id


def _take_name(session: Session, name: RepoName, github_id: int) -> None:
    """From the repository that bore it before, if that was another one: it is deleted, or renamed away."""
    row = session.scalars(select(RepoRow).where(RepoRow.full_name == name.lower())).one_or_none()
    if row is not None and row.github_id not in {None, github_id}:
        row.shown_name = former_name(row.shown_name, row.id)
        row.full_name = row.shown_name.lower()
        session.flush()


def _follow_rename(session: Session, name: RepoName, github_id: int) -> None:
    """Unless the new name has a row of its own by now: two histories are not mixed.

    Of several rows of one repository, which that has left behind, the newest goes on.
    """
    if key_of(session, name) is None:
        newest = select(func.max(RepoRow.id)).where(RepoRow.github_id == github_id).scalar_subquery()
        session.execute(
            update(RepoRow).where(RepoRow.id == newest).values(full_name=name.lower(), shown_name=name)
        )


def key_of(session: Session, name: RepoName) -> int | None:
    return session.scalars(select(RepoRow.id).where(RepoRow.full_name == name.lower())).one_or_none()


def name_of(session: Session, repo: int) -> RepoName:
    """For people; for GitHub only while it `has_name`."""
    return RepoName(session.get_one(RepoRow, repo).shown_name)


def has_name(session: Session, repo: int) -> bool:
    """Whether GitHub can know it by its name: not where another repository bears it now."""
    return is_repo_name(name_of(session, repo))


def default_branch(session: Session, repo: int) -> str:
    return session.get_one(RepoRow, repo).default_branch


def remember_pull(session: Session, repo: int, pull: PullRequest) -> None:
    row = {
        "repo_id": repo,
        "number": pull.number,
        "title": pull.title,
        "author": pull.author,
        "head_sha": pull.head_sha,
        "head_branch": pull.head_branch,
        "base_branch": pull.base_branch,
        "is_open": pull.is_open,
        "merged_at": pull.merged_at,
    }
    facts = [name for name in row if name not in {"repo_id", "number"}]
    insert_or_update(session, PullRow, [row], unique=["repo_id", "number"], replace=facts)


def close_pull(session: Session, repo: int, number: int) -> None:
    """Note that a pull request is no longer open, where GitHub does not say how it ended."""
    session.execute(
        update(PullRow).where(PullRow.repo_id == repo, PullRow.number == number).values(is_open=False)
    )


def pull(session: Session, repo: int, number: int) -> PullRequest | None:
    return pulls(session, [(repo, number)]).get((repo, number))


def pulls(session: Session, keys: Collection[tuple[int, int]]) -> dict[tuple[int, int], PullRequest]:
    """By repository and number; one that was never heard of is absent. Served by the unique key."""
    statement = (
        select(PullRow).where(tuple_(PullRow.repo_id, PullRow.number).in_(list(keys))).limit(len(keys))
    )
    return {(row.repo_id, row.number): _pull(row) for row in session.scalars(statement)}


def _pull(row: PullRow) -> PullRequest:
    return PullRequest(
        number=row.number,
        title=row.title,
        author=row.author,
        head_sha=Sha(row.head_sha),
        head_branch=row.head_branch,
        base_branch=row.base_branch,
        is_open=row.is_open,
        merged_at=row.merged_at,
    )
