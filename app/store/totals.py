"""Totals that only rise: what was counted until a mark, and beside it what came since.

Rows past their time go, so a table's length is no total. The worker moves the mark on every few minutes; what
came since is counted when somebody asks, by index: some minutes or, without a worker, all since it ended.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.store import measures
from app.store.failures import FailureRow
from app.store.gaps import GapRow
from app.store.inbox import DeliveryRow
from app.store.measures import Measures
from app.store.results import RunVectorRow
from app.store.runs import AttemptRow, JobRow
from app.store.tasks import TaskRow, TaskState
from app.store.verdicts import VerdictRow

MARK = "counted"

SETTLED = timedelta(minutes=2)
"""After so long every transaction that noted a time is committed."""

BETWEEN = "/"
"""Stands between the parts of a label, none of which holds it."""

DELIVERIES, RECORDED, JUDGED = "deliveries", "attempts recorded", "attempts judged"
RESULTS, FAILURES, VERDICTS = "results", "failures", "verdicts"
GAPS, TASKS = "gaps", "tasks done"

Counts = Mapping[str, Mapping[str, int]]
"""By what is counted, then by label."""


def mark(session: Session, *, now: datetime) -> datetime:
    """Until when everything is counted; where that never was done, from now on it is."""
    found = measures.one(session, MARK)
    return now if found is None else found.at


def begin(session: Session, *, now: datetime) -> None:
    measures.begin(session, MARK, at=now)


def advance(session: Session, received: Mapping[str, int], *, start: datetime, end: datetime) -> None:
    """Add what came between the mark and a settled instant, once: of two workers one does it.

    `received` are the deliveries of that time, from the inbox's own database.
    """
    if end <= start or not measures.advance(session, MARK, start=start, end=end):
        return
    for name, counts in {**since(session, start, end), DELIVERIES: received}.items():
        if counts:
            measures.add(session, name, counts, at=end)


def since(session: Session, start: datetime, end: datetime | None = None) -> Counts:
    """What came after an instant, and not after the other. Each is served by an index over its time."""
    done = (TaskRow.state == TaskState.DONE.value, *_between(TaskRow.updated_at, start, end))
    judged = _between(AttemptRow.judged_at, start, end)
    results = (
        select(func.sum(RunVectorRow.count))
        .join(JobRow, JobRow.id == RunVectorRow.job_id)
        .join(AttemptRow, AttemptRow.id == JobRow.attempt_id)
        .where(*judged)
    )
    failures = (
        select(func.count())
        .select_from(FailureRow)
        .join(AttemptRow, AttemptRow.id == FailureRow.attempt_id)
        .where(*judged)
    )
    verdicts = (
        select(VerdictRow.kind, VerdictRow.whose, func.count())
        .where(*_between(VerdictRow.judged_at, start, end))
        .group_by(VerdictRow.kind, VerdictRow.whose)
    )
    return {
        RECORDED: _one(session, select(func.count()).where(*_between(AttemptRow.recorded_at, start, end))),
        JUDGED: _one(session, select(func.count()).select_from(AttemptRow).where(*judged)),
        RESULTS: _one(session, results),
        FAILURES: _one(session, failures),
        VERDICTS: {f"{kind}{BETWEEN}{whose}": count for kind, whose, count in session.execute(verdicts)},
        GAPS: _by(session, GapRow.kind, *_between(GapRow.noted_at, start, end)),
        TASKS: _by(session, TaskRow.stage, *done),
    }


def received(inbox: Session, start: datetime, end: datetime | None = None) -> Mapping[str, int]:
    """Deliveries of that time, from the inbox; those of a kind that starts nothing too."""
    return _one(inbox, select(func.count()).where(*_between(DeliveryRow.received_at, start, end)))


def until_now(session: Session, inbox: Session, *, now: datetime) -> Counts:
    """Everything counted so far, at this moment."""
    kept = measures.every(session)
    start = mark(session, now=now)
    fresh = {**since(session, start), DELIVERIES: received(inbox, start)}
    return {name: _sum(kept, name, counts) for name, counts in fresh.items()}


def _sum(kept: Measures, name: str, fresh: Mapping[str, int]) -> Mapping[str, int]:
    before = {label: one.value for (of, label), one in kept.items() if of == name}
    return {label: before.get(label, 0) + fresh.get(label, 0) for label in sorted({*before, *fresh})}


def _between(
    column: InstrumentedAttribute[datetime] | InstrumentedAttribute[datetime | None],
    start: datetime,
    end: datetime | None,
) -> tuple[ColumnElement[bool], ...]:
    return (column > start,) if end is None else (column > start, column <= end)


def _one(session: Session, statement: Select[int]) -> Mapping[str, int]:
    return {"": int(session.scalars(statement).one() or 0)}


def _by(
    session: Session, label: InstrumentedAttribute[str], *where: ColumnElement[bool]
) -> Mapping[str, int]:
    return dict(session.execute(select(label, func.count()).where(*where).group_by(label)).all())
