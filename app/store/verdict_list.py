"""Every verdict with the failure it is about, page by page, for reading from outside."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, exists, select, tuple_
from sqlalchemy.orm import Session, aliased

from app.domain.ids import RepoName
from app.domain.verdict import Verdict
from app.store import verdicts
from app.store.failures import FailureRow
from app.store.identities import TestRow
from app.store.repos import RepoRow
from app.store.runs import AttemptRow, JobRow, RunRow
from app.store.verdicts import VerdictRow

PAGE = 500


@dataclass(frozen=True, slots=True)
class ListedVerdict:
    """`id`, `failure` and `group` are our own keys; `test` is None for a job that failed without a test."""

    id: int
    failure: int
    repo: RepoName
    run: int
    attempt: int
    job: str
    test: str | None
    group: int | None
    verdict: Verdict
    at: datetime


def listed(
    session: Session,
    *,
    repo: int | None = None,
    since: datetime | None = None,
    latest: bool = False,
    page_rows: int = PAGE,
) -> Iterator[ListedVerdict]:
    """All verdicts, oldest first; with `latest` only the newest on each failure. One page is in memory."""
    where: list[ColumnElement[bool]] = []
    if repo is not None:
        where.append(FailureRow.repo_id == repo)
    if since is not None:
        where.append(VerdictRow.judged_at >= since)
    if latest:
        newer = aliased(VerdictRow)
        is_overtaken = exists().where(
            newer.failure_id == VerdictRow.failure_id, newer.number > VerdictRow.number
        )
        where.append(~is_overtaken)
    after: list[ColumnElement[bool]] = []
    while page := _page(session, *where, *after, limit=page_rows):
        yield from page
        last = page[-1]
        after = [tuple_(VerdictRow.judged_at, VerdictRow.id) > (last.at, last.id)]
        session.expunge_all()


def one(session: Session, verdict: int) -> ListedVerdict | None:
    found = _page(session, VerdictRow.id == verdict, limit=1)
    return found[0] if found else None


def _page(session: Session, *where: ColumnElement[bool], limit: int) -> Sequence[ListedVerdict]:
    statement = (
        select(VerdictRow, FailureRow.group_id, TestRow.label, JobRow.name)
        .add_columns(AttemptRow.number, RunRow.github_id, RepoRow.shown_name)
        .join(FailureRow, FailureRow.id == VerdictRow.failure_id)
        .join(TestRow, TestRow.id == FailureRow.test_id, isouter=True)
        .join(JobRow, JobRow.id == FailureRow.job_id)
        .join(AttemptRow, AttemptRow.id == FailureRow.attempt_id)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .join(RepoRow, RepoRow.id == FailureRow.repo_id)
        .where(*where)
        .order_by(VerdictRow.judged_at, VerdictRow.id)
        .limit(limit)
    )
    rows = session.execute(statement).all()
    stored = verdicts.stored(session, [row.VerdictRow for row in rows])
    return [
        ListedVerdict(
            id=verdict.id,
            failure=verdict.failure,
            repo=RepoName(row.shown_name),
            run=row.github_id,
            attempt=row.number,
            job=row.name,
            test=row.label,
            group=row.group_id,
            verdict=verdict.verdict,
            at=verdict.judged_at,
        )
        for row, verdict in zip(rows, stored, strict=True)
    ]
