"""Where failures happened, and no more: enough to choose among very many without reading them."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, exists, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.domain.ids import Sha
from app.domain.run import TESTS_THE_PUSHED_COMMIT
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


def later_than(session: Session, repo: int, start: datetime, *, limit: int) -> list[Place]:
    """The newest failures whose attempts began later. Served by ix_failures_repo."""
    return _newest(session, repo, FailureRow.failed_at > start, AttemptRow.started_at > start, limit=limit)


def on_branch(
    session: Session, repo: int, branch: str, *, since: datetime, until: datetime, limit: int
) -> list[Place]:
    """The newest failures of that time that runs of a branch's own commits had."""
    where = (RunRow.head_branch == branch, RunRow.event.in_(TESTS_THE_PUSHED_COMMIT))
    return _newest(session, repo, FailureRow.failed_at.between(since, until), *where, limit=limit)


def first_runs(session: Session, repo: int, heads: Collection[str]) -> dict[str, datetime]:
    """When each head was first run."""
    return {
        head: at
        for some in chunks(sorted(heads), AT_ONCE)
        for head, at in session.execute(
            select(RunRow.head_sha, func.min(AttemptRow.started_at))
            .join(AttemptRow, AttemptRow.run_id == RunRow.id)
            .where(RunRow.repo_id == repo, RunRow.head_sha.in_(some))
            .group_by(RunRow.head_sha)
        )
    }


_PLACES = (
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
    .where(AttemptRow.raw_removed_at.is_(None))
)
"""Not of attempts whose results were removed: what was thought of those rests on what nobody has any more."""


def _places(session: Session, column: InstrumentedAttribute[int], keys: Collection[int]) -> list[Place]:
    return [
        Place(*row)
        for some in chunks(sorted(keys), AT_ONCE)
        for row in session.execute(_PLACES.where(column.in_(some)))
    ]


def _newest(session: Session, repo: int, *where: ColumnElement[bool], limit: int) -> list[Place]:
    statement = (
        _PLACES.where(FailureRow.repo_id == repo, *where)
        .order_by(FailureRow.failed_at.desc(), FailureRow.id.desc())
        .limit(limit)
    )
    return [Place(*row) for row in session.execute(statement)]


_AT_HEAD = exists().where(
    AttemptRow.id == FailureRow.attempt_id,
    RunRow.id == AttemptRow.run_id,
    RunRow.head_sha == bindparam("head"),
)
_NEWEST_OF_GROUP = (
    select(FailureRow.id)
    .where(FailureRow.group_id == bindparam("group"), FailureRow.failed_at >= bindparam("since"), ~_AT_HEAD)
    .order_by(FailureRow.failed_at.desc(), FailureRow.id.desc())
    .limit(bindparam("rows"))
)
_NEWEST_OF_TEST = (
    select(FailureRow.id, FailureRow.group_id, FailureRow.failed_at)
    .where(FailureRow.test_id == bindparam("test"), FailureRow.failed_at >= bindparam("since"))
    .order_by(FailureRow.failed_at.desc(), FailureRow.id.desc())
    .limit(bindparam("rows"))
)
"""Built once: these are asked for every failure, and building one takes as long as running it."""


def of_group(session: Session, group: int, *, since: datetime, limit: int, not_at: Sha) -> list[int]:
    """Keys of one group's failures, newest first, without those of one head."""
    asked = {"group": group, "since": since, "head": not_at, "rows": limit}
    return list(session.scalars(_NEWEST_OF_GROUP, asked))


def of_newest_heads(session: Session, group: int, *, since: datetime, heads: int, rows: int) -> list[int]:
    """Keys of one group's failures at the newest heads that showed it, newest first.

    At most `rows`: the oldest head is then left out rather than cut, unless it is the only one.
    """
    statement = (
        select(FailureRow.id, RunRow.head_sha)
        .join(AttemptRow, AttemptRow.id == FailureRow.attempt_id)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .where(FailureRow.group_id == group, FailureRow.failed_at >= since)
        .order_by(FailureRow.failed_at.desc(), FailureRow.id.desc())
        .limit(rows)
    )
    found = session.execute(statement).all()
    newest = list(dict.fromkeys(head for _, head in found))
    kept = set(newest[:heads])
    if len(found) == rows and len(newest) <= heads:
        kept -= set(newest[1:][-1:])
    return [failure for failure, head in found if head in kept]


def groups_of(session: Session, failures: Collection[int]) -> set[int]:
    """The groups that any of these failures is in."""
    return {
        group
        for some in chunks(sorted(failures), AT_ONCE)
        for group in session.scalars(
            select(FailureRow.group_id).where(FailureRow.id.in_(some), FailureRow.group_id.is_not(None))
        )
        if group is not None
    }


@dataclass(frozen=True, slots=True)
class Mode:
    """One failure of a test, with the group of the way in which it failed."""

    failure: int
    group: int | None
    failed_at: datetime


def modes_of(session: Session, test: int, *, since: datetime, limit: int) -> list[Mode]:
    """The test's newest failures, newest first."""
    asked = {"test": test, "since": since, "rows": limit}
    return [Mode(*row) for row in session.execute(_NEWEST_OF_TEST, asked)]
