"""Where failures happened, and no more: enough to choose among very many without reading them."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.store.failures import FailureRow
from app.store.runs import AttemptRow, JobRow, RunRow
from app.store.upsert import chunks

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Place:
    """`failure`, `test` (0 for a job without one) and `variant` are our keys; `at` is its attempt's start."""

    failure: int
    test: int
    variant: int
    event: str
    head: str
    at: datetime


def in_attempts(session: Session, attempts: Collection[int]) -> list[Place]:
    return _places(session, FailureRow.attempt_id, attempts)


def of_failures(session: Session, failures: Collection[int]) -> list[Place]:
    return _places(session, FailureRow.id, failures)


def _places(session: Session, column: InstrumentedAttribute[int], keys: Collection[int]) -> list[Place]:
    statement = (
        select(
            FailureRow.id,
            FailureRow.test_key,
            JobRow.variant_id,
            RunRow.event,
            RunRow.head_sha,
            AttemptRow.started_at,
        )
        .join(JobRow, JobRow.id == FailureRow.job_id)
        .join(AttemptRow, AttemptRow.id == FailureRow.attempt_id)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
    )
    return [
        Place(*row)
        for some in chunks(sorted(keys), AT_ONCE)
        for row in session.execute(statement.where(column.in_(some)))
    ]
