"""The ranked list of tests that failed: one statement, counted, filtered, sorted and paged by key."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import CTE, ColumnElement, Float, Integer, Select, and_, cast, func, literal, or_, select
from sqlalchemy.orm import Session

from app.domain.ids import RepoName
from app.domain.verdict import EvidenceKind, Kind, Strength, Whose
from app.store.expressions import by_code_points, total
from app.store.failures import FailureRow
from app.store.identities import TestRow
from app.store.repos import RepoRow
from app.store.results import DailyCountRow
from app.store.runs import AttemptRow, RunRow
from app.store.verdicts import EvidenceRow, VerdictRow


class Sort(StrEnum):
    FLIPS = "flips"
    FAILURES = "failures"
    RATE = "rate"
    LAST_SEEN = "last-seen"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the list is narrowed to; `after` is the `cursor` of the last line of the page before."""

    since: datetime
    repo: int | None = None
    branch: str | None = None
    kind: Kind | None = None
    search: str | None = None
    sort: Sort = Sort.FLIPS
    after: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class TestLine:
    """`flips` counts heads at which the test both passed and failed, `same_tree` those of them on one tree.

    `ran` and `red` come from the daily counters of all branches; both are None under a branch filter,
    since the counters do not know branches. `kind` is that of the newest verdict, None before there is one.
    """

    __test__ = False

    test: int
    label: str
    repo_name: RepoName
    failures: int
    groups: int
    flips: int
    same_tree: int
    ran: int | None
    red: int | None
    opaque: bool
    last_seen_at: datetime
    kind: Kind | None
    strength: Strength | None
    whose: Whose | None
    cursor: tuple[float, ...]


def flaky_tests(session: Session, wanted: Wanted, *, limit: int) -> list[TestLine]:
    """Served by ix_failures_repo and, test by test, the unique key of evidence and ix_daily_counts_test."""
    failed = _failed(wanted)
    flips, ran = _flips(failed), _ran(failed, wanted.since.date())
    newest = _newest_verdict(failed)
    sums = _per_test(failed)
    counted = wanted.branch is None
    rate = func.coalesce(cast(ran.c.red, Float) / func.nullif(ran.c.ran, 0), 0.0)
    order: dict[Sort, tuple[ColumnElement[Any], ...]] = {
        Sort.FLIPS: (func.coalesce(flips.c.flips, 0), sums.c.failures),
        Sort.FAILURES: (sums.c.failures,),
        Sort.RATE: (rate, sums.c.failures),
        Sort.LAST_SEEN: (sums.c.newest,),
    }
    keys = (*order[wanted.sort], sums.c.test_id)
    statement = (
        select(
            sums,
            TestRow.label,
            RepoRow.shown_name,
            flips.c.flips,
            flips.c.same_tree,
            ran.c.ran,
            ran.c.red,
            VerdictRow.kind,
            VerdictRow.strength,
            VerdictRow.whose,
            *(key.label(f"key{place}") for place, key in enumerate(keys)),
        )
        .join(TestRow, TestRow.id == sums.c.test_id)
        .join(RepoRow, RepoRow.id == TestRow.repo_id)
        .outerjoin(flips, flips.c.test_id == sums.c.test_id)
        .outerjoin(ran, ran.c.test_id == sums.c.test_id)
        .outerjoin(newest, newest.c.test_id == sums.c.test_id)
        .outerjoin(VerdictRow, VerdictRow.id == newest.c.verdict)
        .order_by(*(key.desc() for key in keys))
        .limit(limit)
    )
    statement = _narrowed(statement, wanted, keys)
    return [_line(row, counted=counted, keys=len(keys)) for row in session.execute(statement)]


def _failed(wanted: Wanted) -> CTE:
    """Failures in the window, with the head at which each happened."""
    statement = (
        select(
            FailureRow.id,
            FailureRow.test_id,
            FailureRow.group_id,
            FailureRow.opaque,
            FailureRow.failed_at,
            RunRow.head_sha,
        )
        .join(AttemptRow, AttemptRow.id == FailureRow.attempt_id)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .where(FailureRow.failed_at >= wanted.since, FailureRow.test_id.is_not(None))
    )
    if wanted.repo is not None:
        statement = statement.where(FailureRow.repo_id == wanted.repo)
    else:
        # Named one by one, so that the index (repository, time) serves the list of all repositories as well.
        statement = statement.where(FailureRow.repo_id.in_(select(RepoRow.id)))
    if wanted.branch is not None:
        statement = statement.where(RunRow.head_branch == wanted.branch)
    return statement.cte("failed")


def _per_test(failed: CTE) -> CTE:
    return (
        select(
            failed.c.test_id,
            func.count().label("failures"),
            func.count(failed.c.group_id.distinct()).label("groups"),
            func.max(cast(failed.c.opaque, Integer)).label("opaque"),
            func.max(failed.c.failed_at).label("last_seen_at"),
            func.max(failed.c.id).label("newest"),
        )
        .group_by(failed.c.test_id)
        .cte("sums")
    )


def _flips(failed: CTE) -> CTE:
    """A flip is seen once it is evidence of a verdict; that evidence is never taken back."""
    same_tree = EvidenceRow.kind == EvidenceKind.SAME_TREE_FLIP.value
    flip = or_(same_tree, EvidenceRow.kind == EvidenceKind.SAME_SHA_FLIP.value)
    return (
        select(
            failed.c.test_id,
            func.count(failed.c.head_sha.distinct()).label("flips"),
            func.count(failed.c.head_sha.distinct()).filter(same_tree).label("same_tree"),
        )
        .join(EvidenceRow, and_(EvidenceRow.failure_id == failed.c.id, flip))
        .group_by(failed.c.test_id)
        .cte("flips")
    )


def _ran(failed: CTE, since: date) -> CTE:
    return (
        select(
            DailyCountRow.test_id,
            total(DailyCountRow.ran).label("ran"),
            total(DailyCountRow.red).label("red"),
        )
        .where(DailyCountRow.test_id.in_(select(failed.c.test_id)), DailyCountRow.day >= since)
        .group_by(DailyCountRow.test_id)
        .cte("counted")
    )


def _newest_verdict(failed: CTE) -> CTE:
    return (
        select(failed.c.test_id, func.max(VerdictRow.id).label("verdict"))
        .join(VerdictRow, VerdictRow.failure_id == failed.c.id)
        .group_by(failed.c.test_id)
        .cte("newest")
    )


def _narrowed(statement: Select[Any], wanted: Wanted, keys: tuple[ColumnElement[Any], ...]) -> Select[Any]:
    if wanted.kind is not None:
        statement = statement.where(VerdictRow.kind == wanted.kind.value)
    if wanted.search:
        statement = statement.where(TestRow.label.icontains(wanted.search, autoescape=True))
    if wanted.after is not None and len(wanted.after) == len(keys):
        statement = statement.where(_later(keys, wanted.after))
    return statement


def _later(keys: tuple[ColumnElement[Any], ...], after: tuple[float, ...]) -> ColumnElement[bool]:
    """What stands after a line when all keys descend: smaller in one key, equal in those before it."""
    steps = [
        and_(*(keys[i] == literal(after[i]) for i in range(place)), keys[place] < literal(after[place]))
        for place in range(len(keys))
    ]
    return or_(*steps)


def _line(row: Any, *, counted: bool, keys: int) -> TestLine:  # noqa: ANN401 - a row of twenty columns has no type
    return TestLine(
        test=row.test_id,
        label=row.label,
        repo_name=RepoName(row.shown_name),
        failures=row.failures,
        groups=row.groups,
        flips=row.flips or 0,
        same_tree=row.same_tree or 0,
        ran=(row.ran or 0) if counted else None,
        red=(row.red or 0) if counted else None,
        opaque=bool(row.opaque),
        last_seen_at=row.last_seen_at,
        kind=None if row.kind is None else Kind(row.kind),
        strength=None if row.strength is None else Strength(row.strength),
        whose=None if row.whose is None else Whose(row.whose),
        cursor=tuple(getattr(row, f"key{place}") for place in range(keys)),
    )


def branches(session: Session, *, repo: int | None, since: datetime, limit: int) -> list[str]:
    """Branches on which something failed, by name, for the filter. Served by ix_failures_repo."""
    statement = (
        select(RunRow.head_branch)
        .join(AttemptRow, AttemptRow.run_id == RunRow.id)
        .join(FailureRow, FailureRow.attempt_id == AttemptRow.id)
        .where(
            FailureRow.failed_at >= since,
            FailureRow.repo_id == repo if repo is not None else FailureRow.repo_id.in_(select(RepoRow.id)),
            RunRow.head_branch.is_not(None),
        )
        .group_by(RunRow.head_branch)
        .order_by(by_code_points(RunRow.head_branch))
        .limit(limit)
    )
    return [branch for branch in session.scalars(statement) if branch is not None]
