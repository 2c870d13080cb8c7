"""Every group with its failures counted and what is thought of them now, page by page."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import ColumnElement, exists, func, select, tuple_
from sqlalchemy.orm import Session, aliased

from app.domain.category import Category
from app.domain.verdict import Kind, Strength
from app.store.failures import FailureRow
from app.store.groups import GroupRow
from app.store.identities import TestRow
from app.store.verdicts import VerdictRow

PAGE = 200

GroupState = Literal["flaky", "suspect", "failing"]


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """`test` is the test's label, or None where no test is named; where its tests differ in parameters,
    `[...]` stands for these. `title` is the failure in one line.

    `state` rests on the newest verdict of each failure: `flaky` if one is a likely or confirmed flake,
    `suspect` if one is a suspected flake, else `failing`.
    """

    id: int
    test: str | None
    category: Category
    first_seen_at: datetime
    last_seen_at: datetime
    failures: int
    state: GroupState
    title: str


def listed(session: Session, *, repo: int | None = None, page_rows: int = PAGE) -> Iterator[ListedGroup]:
    """All groups, the last seen first. One page is in memory."""
    where: list[ColumnElement[bool]] = [] if repo is None else [GroupRow.repo_id == repo]
    after: list[ColumnElement[bool]] = []
    while page := _page(session, *where, *after, limit=page_rows):
        yield from page
        last = page[-1]
        after = [tuple_(GroupRow.last_seen_at, GroupRow.id) < (last.last_seen_at, last.id)]


def _page(session: Session, *where: ColumnElement[bool], limit: int) -> list[ListedGroup]:
    statement = (
        select(GroupRow.id, TestRow.label, TestRow.base_label, GroupRow.category, GroupRow.title)
        .add_columns(GroupRow.first_seen_at, GroupRow.last_seen_at)
        .join(TestRow, TestRow.id == GroupRow.test_id, isouter=True)
        .where(*where)
        .order_by(GroupRow.last_seen_at.desc(), GroupRow.id.desc())
        .limit(limit)
    )
    rows = session.execute(statement).all()
    keys = [row.id for row in rows]
    counts = _counts(session, keys)
    likely, suspected = _flaky(session, keys)
    return [
        ListedGroup(
            id=row.id,
            test=f"{row.base_label}[...]" if counts[row.id].tests > 1 else row.label,
            category=Category(row.category),
            first_seen_at=row.first_seen_at,
            last_seen_at=row.last_seen_at,
            failures=counts[row.id].failures,
            state="flaky" if row.id in likely else "suspect" if row.id in suspected else "failing",
            title=row.title,
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class _Counts:
    failures: int = 0
    tests: int = 0


def _counts(session: Session, groups: Collection[int]) -> defaultdict[int, _Counts]:
    statement = (
        select(FailureRow.group_id, func.count(), func.count(FailureRow.test_id.distinct()))
        .where(FailureRow.group_id.in_(groups))
        .group_by(FailureRow.group_id)
    )
    found = session.execute(statement).all()
    return defaultdict(_Counts, {group: _Counts(count, tests) for group, count, tests in found if group})


def _flaky(session: Session, groups: Collection[int]) -> tuple[set[int], set[int]]:
    """The groups with a flake that is at least likely, and those with a suspected one."""
    newer = aliased(VerdictRow)
    is_overtaken = exists().where(newer.failure_id == VerdictRow.failure_id, newer.number > VerdictRow.number)
    statement = (
        select(FailureRow.group_id, VerdictRow.strength)
        .join(VerdictRow, VerdictRow.failure_id == FailureRow.id)
        .where(FailureRow.group_id.in_(groups), VerdictRow.kind == Kind.FLAKY.value, ~is_overtaken)
        .distinct()
    )
    found = [(group, strength) for group, strength in session.execute(statement) if group]
    suspected = {group for group, strength in found if strength == Strength.SUSPECTED.value}
    return {group for group, strength in found if strength != Strength.SUSPECTED.value}, suspected
