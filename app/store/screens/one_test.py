"""One test: who it is, how often it ran, where it ran, and the logs of ranks found beside its failures."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.domain.ids import RepoName
from app.store.artifacts import FileKind, SourceFileRow
from app.store.expressions import by_code_points, total
from app.store.groups import GroupRow
from app.store.identities import TestRow
from app.store.repos import RepoRow
from app.store.results import DailyCountRow


@dataclass(frozen=True, slots=True)
class TestName:
    __test__ = False

    key: int
    repo: int
    repo_name: RepoName
    default_branch: str
    label: str
    file: str
    suite: str


@dataclass(frozen=True, slots=True)
class DayCount:
    """All variants of one day; skipped is not run."""

    day: date
    ran: int
    red: int
    skipped: int


@dataclass(frozen=True, slots=True)
class GroupLine:
    key: int
    title: str
    category: str
    opaque: bool
    first_seen_at: datetime
    last_seen_at: datetime


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file kept from an attempt; `job` is None where it could not be told which job made it."""

    key: int
    attempt: int
    job: int | None
    origin: str
    path: str
    kind: FileKind
    blob: str
    cut: bool


def name_of(session: Session, test: int) -> TestName | None:
    """Served by the primary key."""
    found = session.execute(
        select(TestRow, RepoRow).join(RepoRow, RepoRow.id == TestRow.repo_id).where(TestRow.id == test)
    ).one_or_none()
    if found is None:
        return None
    row, repo = found
    return TestName(
        key=row.id,
        repo=repo.id,
        repo_name=RepoName(repo.shown_name),
        default_branch=repo.default_branch,
        label=row.label,
        file=row.file,
        suite=row.suite,
    )


def day_counts(session: Session, test: int, *, since: date) -> list[DayCount]:
    """Oldest first; a day on which it did not run is absent. Served by ix_daily_counts_test."""
    statement = (
        select(
            DailyCountRow.day,
            total(DailyCountRow.ran),
            total(DailyCountRow.red),
            total(DailyCountRow.skipped),
        )
        .where(DailyCountRow.test_id == test, DailyCountRow.day >= since)
        .group_by(DailyCountRow.day)
        .order_by(DailyCountRow.day)
        .limit(400)
    )
    return [DayCount(day, ran, red, skipped) for day, ran, red, skipped in session.execute(statement)]


def variants(session: Session, test: int, *, since: date) -> set[int]:
    """Variants that reported the test. Served by ix_daily_counts_test."""
    statement = (
        select(DailyCountRow.variant_id)
        .where(DailyCountRow.test_id == test, DailyCountRow.day >= since)
        .distinct()
        .limit(200)
    )
    return set(session.scalars(statement))


def groups(session: Session, keys: Collection[int]) -> dict[int, GroupLine]:
    """Served by the primary key."""
    statement = select(GroupRow).where(GroupRow.id.in_(list(keys))).limit(200)
    return {
        row.id: GroupLine(row.id, row.title, row.category, row.opaque, row.first_seen_at, row.last_seen_at)
        for row in session.scalars(statement)
    }


def rank_logs(session: Session, attempts: Collection[int], *, limit: int) -> list[FileLine]:
    """Logs of single ranks, by path. Served by the unique key of source_files."""
    statement = (
        select(SourceFileRow)
        .where(
            SourceFileRow.attempt_id.in_(list(attempts)),
            SourceFileRow.kind == FileKind.RANK_LOG.value,
        )
        .order_by(SourceFileRow.attempt_id.desc(), by_code_points(SourceFileRow.path), SourceFileRow.id)
        .limit(limit)
    )
    return [_file(row) for row in session.scalars(statement)]


def files_of(session: Session, attempt: int, *, limit: int) -> list[FileLine]:
    """All files kept from one attempt. Served by the unique key of source_files."""
    statement = (
        select(SourceFileRow)
        .where(SourceFileRow.attempt_id == attempt)
        .order_by(SourceFileRow.id)
        .limit(limit)
    )
    return [_file(row) for row in session.scalars(statement)]


def file(session: Session, key: int) -> FileLine | None:
    row = session.get(SourceFileRow, key)
    return None if row is None else _file(row)


def _file(row: SourceFileRow) -> FileLine:
    return FileLine(
        key=row.id,
        attempt=row.attempt_id,
        job=row.job_id,
        origin=row.origin,
        path=row.path,
        kind=FileKind(row.kind),
        blob=row.blob,
        cut=row.cut,
    )
