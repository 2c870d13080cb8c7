"""Tests of a repository, each with one key for as long as its identity stays."""

import hashlib
from collections.abc import Collection, Mapping

from sqlalchemy import ForeignKey, Index, UniqueConstraint, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.outcome import TestId
from app.store.base import Base, LongText, ShortText
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
    identity: Mapped[str] = mapped_column(ShortText(32))
    """Digest of the four parts: they can be longer than an index takes."""
    file: Mapped[str] = mapped_column(LongText)
    suite: Mapped[str] = mapped_column(LongText)
    classname: Mapped[str] = mapped_column(LongText)
    name: Mapped[str] = mapped_column(LongText)
    label: Mapped[str] = mapped_column(LongText)
    base_label: Mapped[str] = mapped_column(ShortText(500))
    """The label without parameters, cut: for looking up, never for telling tests apart."""


class KeyCache:
    """Keys that one repository's tests are known by, kept in memory between jobs that repeat them."""

    def __init__(self, limit: int = 1_000_000) -> None:
        self._limit = limit
        self._keys: dict[TestId, int] = {}

    def get(self, test: TestId) -> int | None:
        return self._keys.get(test)

    def add(self, found: Mapping[TestId, int]) -> None:
        """Past the limit it starts anew: what is in use comes back with the next job."""
        if len(self._keys) + len(found) > self._limit:
            self._keys.clear()
        self._keys |= found


def identity_of(test: TestId) -> str:
    """The suite counts only where there is no class: suites carry run numbers and host names."""
    parts = (test.file, "" if test.classname else test.suite, test.classname, test.name)
    joined = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=16).hexdigest()


def keys_of(
    session: Session, repo: int, tests: Collection[TestId], cache: KeyCache | None = None
) -> dict[TestId, int]:
    """Our keys, making rows for tests not seen before; tests of one identity share theirs.

    Keys that the cache learns belong to the caller's transaction: where that fails, so must the cache be
    dropped.
    """
    known = {test: key for test in tests if cache is not None and (key := cache.get(test)) is not None}
    if len(known) == len(tests):
        return known
    by_identity: dict[str, list[TestId]] = {}
    for test in tests:
        if test not in known:
            by_identity.setdefault(identity_of(test), []).append(test)
    found = _known(session, repo, by_identity)
    rows = [_row(repo, identity, same[0]) for identity, same in by_identity.items() if identity not in found]
    if rows:
        insert_missing(session, TestRow, rows, unique=["repo_id", "identity"])
        found |= _known(session, repo, [row["identity"] for row in rows if isinstance(row["identity"], str)])
    new = {test: found[identity] for identity, same in by_identity.items() for test in same}
    if cache is not None:
        cache.add(new)
    return known | new


def _row(repo: int, identity: str, test: TestId) -> dict[str, object]:
    return {
        "repo_id": repo,
        "identity": identity,
        "file": test.file,
        "suite": test.suite,
        "classname": test.classname,
        "name": test.name,
        "label": test.label,
        "base_label": test.base_label,
    }


def _known(session: Session, repo: int, identities: Collection[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for chunk in chunks(sorted(identities), ROWS_PER_STATEMENT):
        statement = select(TestRow.identity, TestRow.id).where(
            TestRow.repo_id == repo, TestRow.identity.in_(chunk)
        )
        found |= dict(session.execute(statement).all())
    return found


def by_key(session: Session, keys: Collection[int]) -> dict[int, TestId]:
    statement = select(TestRow).where(TestRow.id.in_(list(keys)))
    return {
        row.id: TestId(file=row.file, suite=row.suite, classname=row.classname, name=row.name)
        for row in session.scalars(statement)
    }
