"""Tests of a repository, each with one key for as long as its identity stays."""

import hashlib
from collections.abc import Collection, Iterable

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.outcome import TestId
from app.store.base import Base
from app.store.upsert import ROWS_PER_STATEMENT, chunks, insert_missing


class TestRow(Base):
    __tablename__ = "tests"
    __table_args__ = (
        UniqueConstraint("repo_id", "identity"),
        Index("ix_tests_base", "repo_id", "base_label"),
    )
    __test__ = False  # pytest: not a test class

    id: Mapped[int] = mapped_column(primary_key=True)
    repo_id: Mapped[int] = mapped_column(ForeignKey("repos.id"))
    identity: Mapped[str] = mapped_column(String(32))
    """Digest of the four parts: they can be longer than an index takes."""
    file: Mapped[str] = mapped_column(Text)
    suite: Mapped[str] = mapped_column(Text)
    classname: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    label: Mapped[str] = mapped_column(Text)
    base_label: Mapped[str] = mapped_column(String(500))
    """The label without parameters, cut: for looking up, never for telling tests apart."""


def identity_of(test: TestId) -> str:
    """The suite counts only where there is no class: suites carry run numbers and host names."""
    parts = (test.file, "" if test.classname else test.suite, test.classname, test.name)
    joined = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=16).hexdigest()


def keys_of(session: Session, repo: int, tests: Iterable[TestId]) -> dict[str, int]:
    """Keys by identity (see `identity_of`), making rows for tests not seen before."""
    by_identity = {identity_of(test): test for test in tests}
    found = _known(session, repo, by_identity)
    rows = [
        {
            "repo_id": repo,
            "identity": identity,
            "file": _storable(test.file),
            "suite": _storable(test.suite),
            "classname": _storable(test.classname),
            "name": _storable(test.name),
            "label": _storable(test.label),
            "base_label": _storable(test.base_label)[:500],
        }
        for identity, test in by_identity.items()
        if identity not in found
    ]
    if rows:
        insert_missing(session, TestRow, rows, unique=["repo_id", "identity"])
        found |= _known(session, repo, [row["identity"] for row in rows if isinstance(row["identity"], str)])
    return found


def _known(session: Session, repo: int, identities: Collection[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for chunk in chunks(sorted(identities), ROWS_PER_STATEMENT):
        statement = select(TestRow.identity, TestRow.id).where(
            TestRow.repo_id == repo, TestRow.identity.in_(chunk)
        )
        found |= dict(session.execute(statement).tuples().all())
    return found


def by_key(session: Session, keys: Collection[int]) -> dict[int, TestId]:
    statement = select(TestRow).where(TestRow.id.in_(list(keys)))
    return {
        row.id: TestId(file=row.file, suite=row.suite, classname=row.classname, name=row.name)
        for row in session.scalars(statement)
    }


def _storable(text: str) -> str:
    """PostgreSQL refuses NUL in text, and UTF-8 has no lone surrogates."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
