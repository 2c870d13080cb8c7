"""What the lint found in the source of opaque failures: one row for each file of each commit."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint, delete, exists, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.finding_record import from_record, to_record
from app.domain.ids import Sha
from app.domain.lint.finding import LintFinding
from app.store.base import Base, Json, LongText, ShortText
from app.store.upsert import chunks, insert_missing

AT_ONCE = 500


class LintRow(Base):
    """`digest` is the SHA-256 of the source, None where there was none to be had; `note` then says why."""

    __tablename__ = "lints"
    __table_args__ = (
        UniqueConstraint("repo_id", "commit_sha", "path"),
        Index("ix_lints_digest", "repo_id", "digest"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repo_id: Mapped[int] = mapped_column(ForeignKey("repos.id"))
    commit_sha: Mapped[str] = mapped_column(ShortText(64))
    path: Mapped[str] = mapped_column(ShortText(500))
    digest: Mapped[str | None] = mapped_column(ShortText(64))
    version: Mapped[int]
    """Of the rules: what an older one found in the same source is not taken for a newer one's."""
    findings: Mapped[list[dict[str, Any]]] = mapped_column(Json)
    found: Mapped[int]
    """How many there were; `findings` holds the first ones."""
    note: Mapped[str] = mapped_column(LongText)
    noted_at: Mapped[datetime]


class FailureLintRow(Base):
    """Which file a failure's test stands in, and how many of the findings there are about that test."""

    __tablename__ = "failure_lints"

    failure_id: Mapped[int] = mapped_column(ForeignKey("failures.id", ondelete="CASCADE"), primary_key=True)
    lint_id: Mapped[int] = mapped_column(ForeignKey("lints.id"), index=True)
    found: Mapped[int]


@dataclass(frozen=True, slots=True)
class Linted:
    """A file as it was at a commit, with what was found in it; `note` says why nothing could be."""

    commit: Sha
    path: str
    digest: str | None
    findings: tuple[LintFinding, ...] = ()
    found: int = 0
    note: str = ""


def at(
    session: Session, repo: int, places: Collection[tuple[Sha, str]], *, version: int
) -> dict[tuple[Sha, str], Linted]:
    """What these rules found at those of the places (commit and path) that they have looked at."""
    commits = {commit for commit, _ in places}
    statement = select(LintRow).where(
        LintRow.repo_id == repo, LintRow.commit_sha.in_(commits), LintRow.version == version
    )
    found = (_linted(row) for row in session.scalars(statement))
    return {(one.commit, one.path): one for one in found if (one.commit, one.path) in places}


def of_source(session: Session, repo: int, digest: str, path: str, *, version: int) -> Linted | None:
    """What these rules found in the same bytes under the same path, at whatever commit."""
    statement = select(LintRow).where(
        LintRow.repo_id == repo,
        LintRow.digest == digest,
        LintRow.path == path,
        LintRow.version == version,
    )
    row = session.scalars(statement.order_by(LintRow.id).limit(1)).first()
    return None if row is None else _linted(row)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a failure's test stands; `found` counts the findings that are about it."""

    failure: int
    commit: Sha
    path: str
    found: int


def record(session: Session, repo: int, linted: Sequence[Linted], *, version: int, at: datetime) -> None:
    """Safe to repeat: a file that these rules have looked at stays as it is, an older look is replaced."""
    known = _by_place(session, repo, {one.commit for one in linted})
    new = []
    for one in linted:
        place, values = (one.commit, one.path), _values(one, version, at)
        if place not in known:
            new.append({"repo_id": repo, "commit_sha": one.commit, "path": one.path} | values)
        elif known[place].version != version:
            for name, value in values.items():
                setattr(known[place], name, value)
    insert_missing(session, LintRow, new, unique=["repo_id", "commit_sha", "path"])
    session.flush()  # the caller links failures to these rows in statements of its own


def _by_place(session: Session, repo: int, commits: Collection[Sha]) -> dict[tuple[str, str], LintRow]:
    statement = select(LintRow).where(LintRow.repo_id == repo, LintRow.commit_sha.in_(commits))
    return {(row.commit_sha, row.path): row for row in session.scalars(statement)}


def _values(linted: Linted, version: int, at: datetime) -> dict[str, object]:
    return {
        "digest": linted.digest,
        "version": version,
        "findings": [to_record(finding) for finding in linted.findings],
        "found": linted.found,
        "note": linted.note,
        "noted_at": at,
    }


def link(session: Session, repo: int, places: Sequence[Place]) -> None:
    """Note in which linted file each failure's test stands; one that is known stays as it is."""
    commits = {place.commit for place in places}
    statement = select(LintRow.id, LintRow.commit_sha, LintRow.path).where(
        LintRow.repo_id == repo, LintRow.commit_sha.in_(commits)
    )
    keys = {(commit, path): key for key, commit, path in session.execute(statement)}
    rows = [
        {"failure_id": one.failure, "lint_id": keys[one.commit, one.path], "found": one.found}
        for one in places
    ]
    insert_missing(session, FailureLintRow, rows, unique=["failure_id"])


def of_failures(session: Session, failures: Collection[int]) -> dict[int, Linted]:
    """The linted file of each failure that has one. Served by the primary key."""
    found: dict[int, Linted] = {}
    for some in chunks(sorted(failures), AT_ONCE):
        statement = (
            select(FailureLintRow.failure_id, LintRow)
            .join(LintRow, LintRow.id == FailureLintRow.lint_id)
            .where(FailureLintRow.failure_id.in_(some))
        )
        found |= {failure: _linted(row) for failure, row in session.execute(statement)}
    return found


def counts_of(session: Session, failures: Collection[int]) -> dict[int, tuple[str, int]]:
    """Path and number of findings about its test, of each failure that has any."""
    found: dict[int, tuple[str, int]] = {}
    for some in chunks(sorted(failures), AT_ONCE):
        statement = (
            select(FailureLintRow.failure_id, LintRow.path, FailureLintRow.found)
            .join(LintRow, LintRow.id == FailureLintRow.lint_id)
            .where(FailureLintRow.failure_id.in_(some), FailureLintRow.found > 0)
        )
        found |= {failure: (path, count) for failure, path, count in session.execute(statement)}
    return found


def drop_unused(session: Session, failures: Collection[int]) -> None:
    """Before these failures go: remove the files that are no other failure's."""
    own = select(FailureLintRow.lint_id).where(FailureLintRow.failure_id.in_(failures))
    keys = set(session.scalars(own))
    session.execute(delete(FailureLintRow).where(FailureLintRow.failure_id.in_(failures)))
    for some in chunks(sorted(keys), AT_ONCE):
        is_unused = ~exists().where(FailureLintRow.lint_id == LintRow.id)
        session.execute(delete(LintRow).where(LintRow.id.in_(some), is_unused))


def _linted(row: LintRow) -> Linted:
    return Linted(
        commit=Sha(row.commit_sha),
        path=row.path,
        digest=row.digest,
        findings=tuple(from_record(one) for one in row.findings),
        found=row.found,
        note=row.note,
    )
