"""Failures as one line each, with the test's name, the job and the newest verdict in short."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression, func, select
from sqlalchemy.orm import Session, defer

from app.domain.outcome import OutcomeKind
from app.domain.run import Conclusion
from app.domain.verdict import Kind, Strength, Whose
from app.store.expressions import by_code_points
from app.store.failures import FailureRow
from app.store.identities import TestRow
from app.store.runs import JobRow
from app.store.verdicts import VerdictRow


@dataclass(frozen=True, slots=True)
class Ruling:
    """The newest verdict on a failure, without its reasons."""

    verdict: int
    kind: Kind
    strength: Strength
    whose: Whose
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class FailureLine:
    """`test` is None where a job failed without naming one; `ruling` is None until it is judged.

    `job_passed` says that the job succeeded although this test of it failed.
    """

    key: int
    attempt: int
    job: int
    job_name: str
    job_url: str
    job_passed: bool
    test: int | None
    label: str
    title: str
    outcome: OutcomeKind
    group: int | None
    opaque: bool
    cut: bool
    text_blob: str
    failed_at: datetime
    ruling: Ruling | None


def of_attempts(session: Session, attempts: Collection[int], *, limit: int) -> list[FailureLine]:
    """Failures of some attempts, those of one attempt together, by test. Served by ix_failures_attempt."""
    return _read(
        session,
        FailureRow.attempt_id.in_(list(attempts)),
        order=(FailureRow.attempt_id.desc(), by_code_points(TestRow.label).nulls_first(), FailureRow.id),
        limit=limit,
    )


def of_test(session: Session, test: int, *, since: datetime, limit: int) -> list[FailureLine]:
    """Failures of one test in any mode, newest first. Served by ix_failures_test."""
    return _read(
        session,
        FailureRow.test_id == test,
        FailureRow.failed_at >= since,
        order=(FailureRow.failed_at.desc(), FailureRow.id.desc()),
        limit=limit,
    )


@dataclass(frozen=True, slots=True)
class Share:
    """How many failures of one attempt have one newest verdict (None: not judged yet) and opacity."""

    attempt: int
    ruling: Ruling | None
    opaque: bool
    count: int


def shares(session: Session, attempts: Collection[int]) -> list[Share]:
    """All failures of some attempts, counted rather than listed. Served by ix_failures_attempt."""
    verdict = (VerdictRow.kind, VerdictRow.strength, VerdictRow.whose)
    statement = (
        select(FailureRow.attempt_id, FailureRow.opaque, func.count(), func.max(VerdictRow.id), *verdict)
        .outerjoin(VerdictRow, _newest_verdict())
        .where(FailureRow.attempt_id.in_(list(attempts)))
        .group_by(FailureRow.attempt_id, FailureRow.opaque, *verdict)
        .order_by(FailureRow.attempt_id, func.min(FailureRow.id))
        .limit(1000)
    )
    return [
        Share(attempt, _ruling(newest, kind, strength, whose), bool(opaque), count)
        for attempt, opaque, count, newest, kind, strength, whose in session.execute(statement)
    ]


def by_keys(session: Session, failures: Collection[int], *, limit: int) -> list[FailureLine]:
    """Served by the primary key."""
    return _read(session, FailureRow.id.in_(list(failures)), order=(FailureRow.id,), limit=limit)


def by_key(session: Session, failure: int) -> FailureLine | None:
    found = _read(session, FailureRow.id == failure, order=(FailureRow.id,), limit=1)
    return found[0] if found else None


def _read(
    session: Session, *where: ColumnElement[bool], order: tuple[SQLColumnExpression[Any], ...], limit: int
) -> list[FailureLine]:
    statement = (
        select(
            FailureRow,
            TestRow.label,
            JobRow.name,
            JobRow.url,
            JobRow.conclusion,
            VerdictRow.id,
            VerdictRow.kind,
            VerdictRow.strength,
            VerdictRow.whose,
            VerdictRow.cause,
        )
        .options(defer(FailureRow.record), defer(FailureRow.keys))
        .join(JobRow, JobRow.id == FailureRow.job_id)
        .outerjoin(TestRow, TestRow.id == FailureRow.test_id)
        .outerjoin(VerdictRow, _newest_verdict())
        .where(*where)
        .order_by(*order)
        .limit(limit)
    )
    return [
        FailureLine(
            key=row.id,
            attempt=row.attempt_id,
            job=row.job_id,
            job_name=job_name,
            job_url=job_url,
            job_passed=conclusion == Conclusion.SUCCESS.value,
            test=row.test_id,
            label=label or job_name,
            title=row.title or row.message,
            outcome=OutcomeKind(row.outcome),
            group=row.group_id,
            opaque=bool(row.opaque),
            cut=row.cut,
            text_blob=row.text_blob,
            failed_at=row.failed_at,
            ruling=_ruling(verdict, *words),
        )
        for row, label, job_name, job_url, conclusion, verdict, *words in session.execute(statement)
    ]


def _newest_verdict() -> ColumnElement[bool]:
    """The verdict of the highest number, served by the unique key (failure, number)."""
    newest = (
        select(func.max(VerdictRow.number))
        .where(VerdictRow.failure_id == FailureRow.id)
        .correlate(FailureRow)
        .scalar_subquery()
    )
    return (VerdictRow.failure_id == FailureRow.id) & (VerdictRow.number == newest)


def _ruling(
    verdict: int | None, kind: str, strength: str, whose: str, cause: str | None = None
) -> Ruling | None:
    """The words are None together with the key: an outer join found no verdict."""
    return None if verdict is None else Ruling(verdict, Kind(kind), Strength(strength), Whose(whose), cause)
