"""Writing down a run, its attempts, and their jobs; each of it is safe to repeat."""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.domain.ids import JobId
from app.domain.job_name import parse_job_name
from app.domain.run import Job, WorkflowRun
from app.domain.tested_tree import TestedTree
from app.store.base import storable
from app.store.run_values import StoredAttempt, StoredJob
from app.store.runs import LONGEST_NAME, AttemptRow, JobRow, RunRow, VariantRow, jobs_of
from app.store.upsert import insert_missing, insert_or_update


def record_attempt(
    session: Session,
    repo: int,
    run: WorkflowRun,
    jobs: Sequence[Job],
    *,
    pull: int | None,
    recorded_at: datetime,
) -> int:
    """Store a run, one of its attempts and that attempt's jobs; return the attempt's key. Safe to repeat."""
    new_run = {
        "repo_id": repo,
        "github_id": run.id,
        "workflow_id": run.workflow_id,
        "workflow": run.workflow,
        "event": run.event,
        "head_sha": run.head_sha,
        "head_branch": run.head_branch,
        "pull": pull,
        "from_fork": run.from_fork,
        "url": run.url,
        "created_at": run.started_at,
    }
    insert_missing(session, RunRow, [new_run], unique=["repo_id", "github_id"])
    stored_run = session.scalars(
        select(RunRow).where(RunRow.repo_id == repo, RunRow.github_id == run.id)
    ).one()
    if pull is not None:
        stored_run.pull = pull
    new_attempt = {
        "run_id": stored_run.id,
        "number": run.attempt,
        "conclusion": run.conclusion.value if run.conclusion else None,
        "actor": run.actor,
        "started_at": run.started_at,
        "completed_at": run.completed_at,
        "recorded_at": recorded_at,
    }
    insert_or_update(
        session,
        AttemptRow,
        [new_attempt],
        unique=["run_id", "number"],
        replace=["conclusion", "completed_at"],
    )
    attempt = session.scalars(
        select(AttemptRow.id).where(AttemptRow.run_id == stored_run.id, AttemptRow.number == run.attempt)
    ).one()
    record_jobs(session, repo, run.workflow_id, attempt, jobs)
    return attempt


def record_jobs(session: Session, repo: int, workflow_id: int, attempt: int, jobs: Sequence[Job]) -> None:
    names = {job.id: parse_job_name(job.name[:LONGEST_NAME]) for job in jobs}
    own = {job.id: storable(job.variant or names[job.id].variant, LONGEST_NAME) for job in jobs}
    variants = variant_ids(session, repo, workflow_id, own.values())
    rows = [
        {
            "attempt_id": attempt,
            "github_id": job.id,
            "name": job.name,
            "variant_id": variants[own[job.id]],
            "shard": job.shard or names[job.id].shard,
            "conclusion": job.conclusion.value if job.conclusion else None,
            "runner": job.runner,
            "labels": list(job.labels),
            "failed_step": job.failed_step or None,
            "url": job.url,
            "started_at": job.started_at,
            "completed_at": job.completed_at,
        }
        for job in jobs
    ]
    insert_or_update(
        session,
        JobRow,
        rows,
        unique=["attempt_id", "github_id"],
        replace=["conclusion", "failed_step", "completed_at"],
    )


def adopt_job(session: Session, attempt: StoredAttempt, name: str) -> StoredJob:
    """A job row for results whose job is not known; its id is negative, which none of GitHub's is."""
    name = storable(name, LONGEST_NAME)
    known = [job for job in jobs_of(session, attempt.id) if job.name == name]
    if known:
        return known[0]
    digest = hashlib.blake2b(f"{attempt.id}\x1f{name}".encode(), digest_size=7).digest()
    orphan = Job(
        id=JobId(-1 - int.from_bytes(digest, "big")),
        run_id=attempt.run,
        attempt=attempt.attempt,
        name=name,
        conclusion=None,
        started_at=attempt.started_at,
        completed_at=attempt.completed_at,
        runner=None,
        labels=(),
        failed_step=None,
        url=attempt.url,
    )
    record_jobs(session, attempt.repo, attempt.workflow_id, attempt.id, [orphan])
    return next(job for job in jobs_of(session, attempt.id) if job.name == name)


def variant_ids(session: Session, repo: int, workflow_id: int, names: Iterable[str]) -> dict[str, int]:
    wanted = sorted({storable(name, LONGEST_NAME) for name in names})
    rows = [{"repo_id": repo, "workflow_id": workflow_id, "name": name} for name in wanted]
    insert_missing(session, VariantRow, rows, unique=["repo_id", "workflow_id", "name"])
    statement = select(VariantRow.name, VariantRow.id).where(
        VariantRow.repo_id == repo, VariantRow.workflow_id == workflow_id, VariantRow.name.in_(wanted)
    )
    return dict(session.execute(statement).all())


def set_tested_tree(session: Session, job: int, tested: TestedTree) -> None:
    session.execute(
        update(JobRow)
        .where(JobRow.id == job)
        .values(
            tree_source=tested.source.value,
            tested_commit=tested.commit,
            tested_tree=tested.tree,
            tested_base=tested.merge_base_parent,
            base_in_head=tested.base_in_head,
            tree_told_by=tested.told_by.value,
        )
    )


def claim_counting(session: Session, jobs: Collection[int], *, at: datetime) -> set[int]:
    """The jobs among these that nobody has added to the daily counters yet; the caller now may, once."""
    claimed = session.execute(
        update(JobRow)
        .where(JobRow.id.in_(list(jobs)), JobRow.counted_at.is_(None))
        .values(counted_at=at)
        .returning(JobRow.id)
    )
    return set(claimed.scalars())


def mark_judged(session: Session, attempt: int, *, at: datetime) -> None:
    session.execute(update(AttemptRow).where(AttemptRow.id == attempt).values(judged_at=at))
