"""Take a job out of the store again, with all that was read from it and thought of it."""

from collections.abc import Collection

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from app.domain.errors import Gone
from app.domain.run import Conclusion, attempt_conclusion
from app.domain.run_vector import unpack
from app.store import lints, results
from app.store.artifacts import ArtifactRow, SourceFileRow
from app.store.failures import FailureRow
from app.store.gaps import GapRow
from app.store.groups import GroupRow
from app.store.results import RunVectorRow
from app.store.runs import AttemptRow, JobRow, RunRow
from app.store.verdicts import EvidenceRow, VerdictRow


def remove_job(session: Session, job: int) -> None:
    """Remove results, failures, verdicts, files and gaps of a job, and with its last job an attempt and run.

    Daily counters count it no more. Blobs stay, since others may have the same bytes; verdicts on other
    failures stay too, and the caller judges them again. Raises Gone where the counters count it and its
    results are past their time: nobody knows any more what to take off.
    """
    attempt = session.scalars(select(JobRow.attempt_id).where(JobRow.id == job)).one()
    _require_results(session, job)
    _remove_results(session, job)
    _remove_failures(session, job)
    session.execute(update(ArtifactRow).where(ArtifactRow.job_id == job).values(job_id=None))
    session.execute(delete(SourceFileRow).where(SourceFileRow.job_id == job))
    session.execute(delete(GapRow).where(GapRow.job_id == job))
    session.execute(delete(JobRow).where(JobRow.id == job))
    _settle_attempt(session, attempt)
    session.expire_all()


def _require_results(session: Session, job: int) -> None:
    statement = (
        select(JobRow.name, JobRow.counted_at, AttemptRow.raw_removed_at)
        .join(AttemptRow, AttemptRow.id == JobRow.attempt_id)
        .where(JobRow.id == job)
    )
    name, counted_at, removed_at = session.execute(statement).one()
    if counted_at is not None and removed_at is not None:
        raise Gone(f"job {name}", "its results were past their time and removed; it stays as it is")


def _remove_results(session: Session, job: int) -> None:
    statement = (
        select(RunVectorRow.day, RunVectorRow.packed, JobRow.variant_id, JobRow.counted_at)
        .join(JobRow, JobRow.id == RunVectorRow.job_id)
        .where(RunVectorRow.job_id == job)
    )
    for row in session.execute(statement).all():
        if row.counted_at is not None:
            cells = results.JobCells(job, row.variant_id, unpack(row.packed).cells())
            results.take_from_days(session, cells, day=row.day)
    session.execute(delete(RunVectorRow).where(RunVectorRow.job_id == job))


def _remove_failures(session: Session, job: int) -> None:
    found = session.execute(select(FailureRow.id, FailureRow.group_id).where(FailureRow.job_id == job)).all()
    lints.drop_unused(session, [row.id for row in found])
    gone = select(FailureRow.id).where(FailureRow.job_id == job)
    session.execute(delete(VerdictRow).where(VerdictRow.failure_id.in_(gone)))
    session.execute(delete(EvidenceRow).where(EvidenceRow.failure_id.in_(gone)))
    session.execute(delete(FailureRow).where(FailureRow.job_id == job))
    _settle_groups(session, {row.group_id for row in found if row.group_id is not None})


def _settle_groups(session: Session, groups: Collection[int]) -> None:
    """A group is as old as what is left of it; nothing left, no group."""
    for group in sorted(groups):
        seen = select(func.count(), func.min(FailureRow.failed_at), func.max(FailureRow.failed_at))
        count, first, last = session.execute(seen.where(FailureRow.group_id == group)).one()
        if not count:
            session.execute(delete(GroupRow).where(GroupRow.id == group))
        else:
            span = {"first_seen_at": first, "last_seen_at": last}
            session.execute(update(GroupRow).where(GroupRow.id == group).values(span))


def _settle_attempt(session: Session, attempt: int) -> None:
    left = session.scalars(select(JobRow.conclusion).where(JobRow.attempt_id == attempt)).all()
    if left:
        told = attempt_conclusion(Conclusion(one) for one in left if one is not None)
        session.execute(update(AttemptRow).where(AttemptRow.id == attempt).values(conclusion=told.value))
        return
    run = session.scalars(select(AttemptRow.run_id).where(AttemptRow.id == attempt)).one()
    for table in (ArtifactRow, SourceFileRow, GapRow):
        session.execute(delete(table).where(table.attempt_id == attempt))
    session.execute(delete(AttemptRow).where(AttemptRow.id == attempt))
    if session.scalars(select(AttemptRow.id).where(AttemptRow.run_id == run).limit(1)).first() is None:
        session.execute(delete(RunRow).where(RunRow.id == run))
