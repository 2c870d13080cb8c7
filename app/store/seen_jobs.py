"""Jobs as little as a colour needs: for many attempts at once, without a bound that could hide a red one."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.domain.commit_state import SeenJob
from app.domain.ids import RunId
from app.domain.run import Conclusion, Job, WorkflowRun
from app.domain.run_conclusion import SeenAttempt, by_their_jobs
from app.store.run_values import StoredAttempt
from app.store.runs import AttemptRow, JobRow, RunRow

CHUNK = 500
"""Attempts asked for in one statement."""


def of_attempts(session: Session, attempts: Collection[int]) -> list[SeenJob]:
    """Every job of these attempts; `run` is GitHub's id. Served by the unique key of jobs."""
    keys = sorted(attempts)
    found: list[SeenJob] = []
    for start in range(0, len(keys), CHUNK):
        statement = (
            select(JobRow.id, RunRow.github_id, AttemptRow.number, JobRow.name, JobRow.conclusion)
            .join(AttemptRow, AttemptRow.id == JobRow.attempt_id)
            .join(RunRow, RunRow.id == AttemptRow.run_id)
            .where(JobRow.attempt_id.in_(keys[start : start + CHUNK]))
            .order_by(JobRow.id)
        )
        found += [
            SeenJob(job, run, number, name, None if conclusion is None else Conclusion(conclusion))
            for job, run, number, name, conclusion in session.execute(statement)
        ]
    return found


def borne_out(session: Session, attempts: Sequence[StoredAttempt]) -> list[StoredAttempt]:
    """The same attempts in the same order, each with the conclusion that its run's jobs bear out."""
    seen = [SeenAttempt(one.id, one.run, one.attempt, one.conclusion) for one in attempts]
    told = by_their_jobs(seen, of_attempts(session, {one.id for one in attempts}))
    return [replace(one, conclusion=told[one.id]) for one in attempts]


def knows_attempt(session: Session, repo: int, run: RunId, number: int) -> bool:
    """Whether this attempt of GitHub's run was recorded."""
    statement = (
        select(AttemptRow.id)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .where(RunRow.repo_id == repo, RunRow.github_id == run, AttemptRow.number == number)
    )
    return session.scalars(statement).one_or_none() is not None


def set_timed_out(session: Session, jobs: Collection[int]) -> None:
    """Note of jobs that GitHub calls cancelled that they ran out of their time."""
    session.execute(
        update(JobRow)
        .where(JobRow.id.in_(list(jobs)), JobRow.conclusion == Conclusion.CANCELLED.value)
        .values(conclusion=Conclusion.TIMED_OUT.value)
    )


def keep_timed_out(session: Session, repo: int, run: WorkflowRun, jobs: Sequence[Job]) -> list[Job]:
    """The jobs as they are listed anew, without forgetting which of the cancelled ones ran out of time."""
    known = set(
        session.scalars(
            select(JobRow.github_id)
            .join(AttemptRow, AttemptRow.id == JobRow.attempt_id)
            .join(RunRow, RunRow.id == AttemptRow.run_id)
            .where(RunRow.repo_id == repo, RunRow.github_id == run.id, AttemptRow.number == run.attempt)
            .where(JobRow.conclusion == Conclusion.TIMED_OUT.value)
        )
    )
    return [
        replace(job, conclusion=Conclusion.TIMED_OUT)
        if job.id in known and job.conclusion is Conclusion.CANCELLED
        else job
        for job in jobs
    ]
