"""Failures: one row for each red result, with its text, its signature and its group."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, ForeignKey, Index, UniqueConstraint, select, tuple_, update
from sqlalchemy.orm import InstrumentedAttribute, Mapped, Session, mapped_column

from app.domain.category import Category
from app.domain.outcome import OutcomeKind
from app.store.base import Base, Json, LongText, ShortText
from app.store.runs import AttemptRow, JobRow, RunRow
from app.store.upsert import chunks, insert_missing

AT_ONCE = 500


class FailureRow(Base):
    __tablename__ = "failures"
    __table_args__ = (
        UniqueConstraint("job_id", "test_key"),
        Index("ix_failures_attempt", "attempt_id"),
        Index("ix_failures_test", "test_id", "failed_at"),
        Index("ix_failures_group", "group_id", "failed_at"),
        Index("ix_failures_repo", "repo_id", "failed_at"),
        Index("ix_failures_text", "text_blob"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repo_id: Mapped[int] = mapped_column(ForeignKey("repos.id"))
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"))
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"))
    test_id: Mapped[int | None] = mapped_column(ForeignKey("tests.id"))
    test_key: Mapped[int]
    """The test, or 0 for a job that failed without naming one: NULLs are never equal to a constraint."""
    outcome: Mapped[str] = mapped_column(ShortText(20))
    message: Mapped[str] = mapped_column(LongText)
    text_blob: Mapped[str] = mapped_column(ShortText(64))
    cut: Mapped[bool]
    path: Mapped[str | None] = mapped_column(LongText)
    line: Mapped[int | None]
    failed_at: Mapped[datetime]
    group_id: Mapped[int | None] = mapped_column(ForeignKey("groups.id"))
    """None until it is signed, and for ever where its text forms no group."""
    algorithm: Mapped[int | None]
    keys: Mapped[dict[str, str | None] | None] = mapped_column(Json)
    category: Mapped[str | None] = mapped_column(ShortText(40))
    generic: Mapped[bool | None]
    opaque: Mapped[bool | None]
    title: Mapped[str | None] = mapped_column(LongText)
    record: Mapped[dict[str, Any] | None] = mapped_column(Json)


@dataclass(frozen=True, slots=True)
class NewFailure:
    """A red result to store. `test` is our key, or None for a job that failed without naming a test."""

    job: int
    test: int | None
    outcome: OutcomeKind
    message: str
    text_blob: str
    cut: bool
    path: str | None
    line: int | None
    failed_at: datetime


@dataclass(frozen=True, slots=True)
class Signing:
    """What signing gave one failure; `keys` by level, as CONTRACTS has them."""

    group: int | None
    algorithm: int
    keys: dict[str, str | None]
    category: Category
    generic: bool
    opaque: bool
    title: str
    record: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredFailure:
    """A failure; what signing gives is empty until `is_signed`.

    `id`, `attempt`, `job`, `test` and `group` are our own keys. `values` is a digest of the compared
    operands, None where nothing is compared: a group does not tell them apart, an excuse has to.
    """

    id: int
    repo: int
    attempt: int
    job: int
    test: int | None
    outcome: OutcomeKind
    message: str
    text_blob: str
    cut: bool
    path: str | None
    line: int | None
    failed_at: datetime
    group: int | None
    key: str | None
    values: str | None
    cluster: str | None
    category: Category
    generic: bool
    opaque: bool
    title: str
    is_signed: bool


def record_once(session: Session, repo: int, attempt: int, failures: Sequence[NewFailure]) -> int:
    """Store failures; one of the same job and test is left as it is. Returns how many were new."""
    rows = [
        {
            "repo_id": repo,
            "attempt_id": attempt,
            "job_id": failure.job,
            "test_id": failure.test,
            "test_key": failure.test or 0,
            "outcome": failure.outcome.value,
            "message": failure.message,
            "text_blob": failure.text_blob,
            "cut": failure.cut,
            "path": failure.path,
            "line": failure.line,
            "failed_at": failure.failed_at,
        }
        for failure in failures
    ]
    return insert_missing(session, FailureRow, rows, unique=["job_id", "test_key"])


def sign(session: Session, failure: int, signing: Signing) -> None:
    session.execute(
        update(FailureRow)
        .where(FailureRow.id == failure)
        .values(
            group_id=signing.group,
            algorithm=signing.algorithm,
            keys=signing.keys,
            category=signing.category.value,
            generic=signing.generic,
            opaque=signing.opaque,
            title=signing.title,
            record=signing.record,
        )
    )


def of_attempt(session: Session, attempt: int) -> list[StoredFailure]:
    return _stored(session, FailureRow.attempt_id == attempt, limit=20_000)


def of_attempts(session: Session, attempts: Collection[int]) -> list[StoredFailure]:
    """Failures of several attempts, newest first, at most 1,000."""
    return _stored(session, FailureRow.attempt_id.in_(list(attempts)), limit=1000)


def of_jobs(session: Session, jobs: Collection[int]) -> list[StoredFailure]:
    """Every failure of these jobs, by job and test: in the same order whatever came first."""
    return _in_order(session, FailureRow.job_id, jobs)


def by_ids(session: Session, failures: Collection[int]) -> list[StoredFailure]:
    """The failures with these keys of ours, by job and test."""
    return _in_order(session, FailureRow.id, failures)


def _in_order(
    session: Session, column: InstrumentedAttribute[int], keys: Collection[int]
) -> list[StoredFailure]:
    found: list[StoredFailure] = []
    for some in chunks(sorted(keys), AT_ONCE):
        rows = session.scalars(select(FailureRow).where(column.in_(some)))
        found += sorted(map(_failure, rows), key=lambda one: (one.job, one.test or 0))
    return found


def of_group(session: Session, group: int, *, since: datetime, limit: int) -> list[StoredFailure]:
    """Failures of one group, newest first."""
    return _stored(session, FailureRow.group_id == group, FailureRow.failed_at >= since, limit=limit)


def alike_in(session: Session, group: int, jobs: Collection[int]) -> set[int]:
    """Those of the jobs that hold a failure of the group."""
    statement = select(FailureRow.job_id).where(
        FailureRow.group_id == group, FailureRow.job_id.in_(list(jobs))
    )
    return set(session.scalars(statement))


def values_in(
    session: Session, failure: StoredFailure, jobs: Collection[tuple[int, int, int]]
) -> set[str | None]:
    """What failures of the same test and group compared in jobs, named by GitHub's run, attempt and job."""
    statement = (
        select(FailureRow.record)
        .join(JobRow, JobRow.id == FailureRow.job_id)
        .join(AttemptRow, AttemptRow.id == FailureRow.attempt_id)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .where(FailureRow.group_id == failure.group, FailureRow.test_key == (failure.test or 0))
        .where(RunRow.repo_id == failure.repo)
        .where(tuple_(RunRow.github_id, AttemptRow.number, JobRow.github_id).in_(sorted(jobs)))
    )
    return {_values(record) for record in session.scalars(statement)}


def without_test_in(session: Session, jobs: Collection[int]) -> set[int]:
    """Those of the jobs that failed without naming a test."""
    statement = select(FailureRow.job_id).where(FailureRow.test_key == 0, FailureRow.job_id.in_(list(jobs)))
    return set(session.scalars(statement))


def any_opaque_test(session: Session, attempt: int) -> bool:
    """Whether the text of any test that failed in the attempt holds no cause."""
    statement = select(FailureRow.id).where(
        FailureRow.attempt_id == attempt, FailureRow.opaque.is_(True), FailureRow.test_key != 0
    )
    return session.scalars(statement.limit(1)).first() is not None


def by_id(session: Session, failure: int) -> StoredFailure | None:
    found = _stored(session, FailureRow.id == failure, limit=1)
    return found[0] if found else None


def unsigned(session: Session, attempt: int) -> list[StoredFailure]:
    return _stored(session, FailureRow.attempt_id == attempt, FailureRow.algorithm.is_(None), limit=20_000)


def _stored(session: Session, *where: ColumnElement[bool], limit: int) -> list[StoredFailure]:
    statement = (
        select(FailureRow)
        .where(*where)
        .order_by(FailureRow.failed_at.desc(), FailureRow.id.desc())
        .limit(limit)
    )
    return [_failure(row) for row in session.scalars(statement)]


def _failure(row: FailureRow) -> StoredFailure:
    return StoredFailure(
        id=row.id,
        repo=row.repo_id,
        attempt=row.attempt_id,
        job=row.job_id,
        test=row.test_id,
        outcome=OutcomeKind(row.outcome),
        message=row.message,
        text_blob=row.text_blob,
        cut=row.cut,
        path=row.path,
        line=row.line,
        failed_at=row.failed_at,
        group=row.group_id,
        key=(row.keys or {}).get("group"),
        values=_values(row.record),
        cluster=(row.keys or {}).get("cluster"),
        category=Category(row.category) if row.category else Category.UNKNOWN,
        generic=bool(row.generic),
        opaque=bool(row.opaque),
        title=row.title or "",
        is_signed=row.algorithm is not None,
    )


def _values(record: dict[str, Any] | None) -> str | None:
    found: str | None = (record or {}).get("attributes", {}).get("values")
    return found
