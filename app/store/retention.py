"""Remove attempts that are past their time, or only their texts and files; a little in each transaction."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from sqlalchemy import Select, delete, exists, func, or_, select, update
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute, Session

from app.store import blobs, lints
from app.store.artifacts import ArtifactRow, SourceFileRow
from app.store.blobs import BlobRow
from app.store.failures import FailureRow
from app.store.gaps import GapRow
from app.store.results import RunVectorRow
from app.store.runs import AttemptRow, JobRow, RunRow
from app.store.upsert import ROWS_PER_STATEMENT, chunks
from app.store.verdicts import EvidenceRow, VerdictRow

FAILURES_AT_ONCE = 100
FILES_AT_ONCE = 10

_OldAttempts: TypeAlias = "Select[int, int, int, int, str | None, str, int | None, datetime]"

ATTEMPTS_AT_ONCE = 500
"""Looked at together; of what is past its time, the rest is not read meanwhile."""


@dataclass(slots=True)
class Removed:
    """What went, or would: rows by what they are, failures that stay without text, bytes of blobs."""

    rows: Counter[str] = field(default_factory=Counter)
    texts: int = 0
    bytes: int = 0

    def __bool__(self) -> bool:
        return bool(self.texts or self.bytes or self.rows.total())

    def add(self, other: "Removed") -> None:
        self.rows.update(other.rows)
        self.texts += other.texts
        self.bytes += other.bytes


@dataclass(frozen=True, slots=True)
class Place:
    """Of an attempt among the old ones: when it was recorded, and its key."""

    recorded_at: datetime
    attempt: int


@dataclass(frozen=True, slots=True)
class OldAttempt:
    """`run` is our key of its run, `github_id` GitHub's."""

    id: int
    repo: int
    run: int
    github_id: int
    head_branch: str | None
    head_sha: str
    pull: int | None
    recorded_at: datetime

    @property
    def place(self) -> Place:
        return Place(self.recorded_at, self.id)


def old_attempts(session: Session, *, before: datetime, after: Place | None) -> list[OldAttempt]:
    """The next attempts recorded before then, oldest first. Served by ix_attempts_recorded_at."""
    return _old(session, _after(_attempts(before), after))


def old_texts(session: Session, *, before: datetime, after: Place | None) -> list[OldAttempt]:
    """The next of those that still have their texts and files and whose failures are judged.

    Served by ix_attempts_raw.
    """
    has_texts = AttemptRow.raw_removed_at.is_(None), AttemptRow.judged_at.is_not(None)
    return _old(session, _after(_attempts(before).where(*has_texts), after))


def old_among(session: Session, attempts: Collection[int], *, before: datetime) -> list[OldAttempt]:
    """Those of these attempts that were recorded before then."""
    found: list[OldAttempt] = []
    for some in chunks(sorted(attempts), ROWS_PER_STATEMENT):
        found += _old(session, _attempts(before).where(AttemptRow.id.in_(some)))
    return found


def _attempts(before: datetime) -> _OldAttempts:
    return (
        select(
            AttemptRow.id,
            RunRow.repo_id,
            RunRow.id,
            RunRow.github_id,
            RunRow.head_branch,
            RunRow.head_sha,
            RunRow.pull,
            AttemptRow.recorded_at,
        )
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .where(AttemptRow.recorded_at < before)
        .order_by(AttemptRow.recorded_at, AttemptRow.id)
    )


def _after(statement: _OldAttempts, place: Place | None) -> _OldAttempts:
    if place is not None:
        at, key = AttemptRow.recorded_at, AttemptRow.id
        statement = statement.where(at >= place.recorded_at, or_(at > place.recorded_at, key > place.attempt))
    return statement.limit(ATTEMPTS_AT_ONCE)


def _old(session: Session, statement: _OldAttempts) -> list[OldAttempt]:
    return [OldAttempt(*row) for row in session.execute(statement)]


def count(session: Session, attempts: Sequence[int], *, whole: bool) -> Removed:
    """What would go with these attempts or, where they are not to go `whole`, of them."""
    removed = Removed()
    files = select(func.count()).where(SourceFileRow.attempt_id.in_(attempts))
    removed.rows[SourceFileRow.__tablename__] = session.scalars(files).one()
    vectors = select(func.count()).join(JobRow, JobRow.id == RunVectorRow.job_id)
    vectors = vectors.select_from(RunVectorRow).where(JobRow.attempt_id.in_(attempts))
    removed.rows[RunVectorRow.__tablename__] = session.scalars(vectors).one()
    failures = select(func.count()).where(FailureRow.attempt_id.in_(attempts))
    if whole:
        removed.rows[AttemptRow.__tablename__] = len(attempts)
        removed.rows[FailureRow.__tablename__] = session.scalars(failures).one()
    else:
        removed.texts = session.scalars(failures.where(FailureRow.text_blob != blobs.REMOVED)).one()
    return removed


def remove_some_failures(session: Session, attempt: int) -> Removed:
    """Remove some failures of an attempt with what was thought of them; nothing once none is left."""
    found = session.execute(
        select(FailureRow.id, FailureRow.text_blob)
        .where(FailureRow.attempt_id == attempt)
        .limit(FAILURES_AT_ONCE)
    ).all()
    keys = [row.id for row in found]
    removed = Removed()
    if keys:
        lints.drop_unused(session, keys)
        _delete(session, removed, VerdictRow, VerdictRow.failure_id, keys)
        _delete(session, removed, EvidenceRow, EvidenceRow.failure_id, keys)
        _delete(session, removed, FailureRow, FailureRow.id, keys)
        _drop_unused(session, removed, {row.text_blob for row in found})
    return removed


def remove_some_texts(session: Session, attempt: int) -> Removed:
    """Take the texts of some failures of an attempt; nothing once all are without."""
    found = session.execute(
        select(FailureRow.id, FailureRow.text_blob)
        .where(FailureRow.attempt_id == attempt, FailureRow.text_blob != blobs.REMOVED)
        .limit(FAILURES_AT_ONCE)
    ).all()
    removed = Removed()
    if found:
        keys = [row.id for row in found]
        session.execute(update(FailureRow).where(FailureRow.id.in_(keys)).values(text_blob=blobs.REMOVED))
        _drop_unused(session, removed, {row.text_blob for row in found})
        removed.texts += len(keys)
    return removed


def remove_some_files(session: Session, attempt: int) -> Removed:
    """Remove some files that an attempt was read from; nothing once none is left."""
    found = session.execute(
        select(SourceFileRow.id, SourceFileRow.blob)
        .where(SourceFileRow.attempt_id == attempt)
        .limit(FILES_AT_ONCE)
    ).all()
    removed = Removed()
    if found:
        _delete(session, removed, SourceFileRow, SourceFileRow.id, [row.id for row in found])
        _drop_unused(session, removed, {row.blob for row in found})
    return removed


def remove_vectors(session: Session, attempt: int, *, at: datetime) -> Removed:
    """Remove its jobs' results, which the daily counters have, and note that its raw facts are gone."""
    removed = Removed()
    jobs = select(JobRow.id).where(JobRow.attempt_id == attempt)
    _delete(session, removed, RunVectorRow, RunVectorRow.job_id, jobs)
    session.execute(update(AttemptRow).where(AttemptRow.id == attempt).values(raw_removed_at=at))
    return removed


def remove_attempt(session: Session, attempt: OldAttempt) -> Removed:
    """Remove what is left of an attempt without failures and files, and its run with the last attempt."""
    removed = Removed()
    jobs = select(JobRow.id).where(JobRow.attempt_id == attempt.id)
    _delete(session, removed, RunVectorRow, RunVectorRow.job_id, jobs)
    for table in (ArtifactRow, GapRow, JobRow):
        _delete(session, removed, table, table.attempt_id, [attempt.id])
    _delete(session, removed, AttemptRow, AttemptRow.id, [attempt.id])
    is_empty = ~exists().where(AttemptRow.run_id == RunRow.id)
    session.execute(delete(RunRow).where(RunRow.id == attempt.run, is_empty))
    return removed


def newest_keys(session: Session) -> set[int]:
    """The attempts that hold the highest keys: as long as these stay, SQLite gives no key out again."""
    of_failure = select(FailureRow.attempt_id).order_by(FailureRow.id.desc()).limit(1)
    of_verdict = (
        select(FailureRow.attempt_id)
        .join(VerdictRow, VerdictRow.failure_id == FailureRow.id)
        .order_by(VerdictRow.id.desc())
        .limit(1)
    )
    found = [select(func.max(AttemptRow.id)), of_failure, of_verdict]
    keys = [session.scalars(statement).first() for statement in found]
    return {key for key in keys if key is not None}


def _delete(
    session: Session,
    removed: Removed,
    table: type[DeclarativeBase],
    column: InstrumentedAttribute[int],
    keys: Collection[int] | Select[int],
) -> None:
    gone = session.execute(delete(table).where(column.in_(keys)).returning(column))
    removed.rows[table.__tablename__] += len(gone.all())


def _drop_unused(session: Session, removed: Removed, digests: Iterable[str]) -> None:
    """Remove those blobs that nothing names any more: many failures can share one text."""
    unused = (
        delete(BlobRow)
        .where(BlobRow.digest.in_(set(digests)))
        .where(~exists().where(FailureRow.text_blob == BlobRow.digest))
        .where(~exists().where(SourceFileRow.blob == BlobRow.digest))
        .returning(BlobRow.size_bytes)
    )
    sizes = session.scalars(unused).all()
    removed.rows[BlobRow.__tablename__] += len(sizes)
    removed.bytes += sum(sizes)
