"""Attempts as they come out of the pipeline: read, judged, and with how many failures."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.domain.ids import RepoName, RunId
from app.store.failures import FailureRow
from app.store.repos import RepoRow
from app.store.runs import AttemptRow, RunRow


@dataclass(frozen=True, slots=True)
class JudgedAttempt:
    """`key` is ours of the attempt; `conclusion` is GitHub's word."""

    key: int
    repo_name: RepoName
    run: RunId
    attempt: int
    workflow: str
    event: str
    branch: str | None
    pull: int | None
    conclusion: str | None
    failures: int
    judged_at: datetime


def runs_known(session: Session, repo: str) -> int:
    """Of the repository with this name in lower case, those of which an attempt was read and judged."""
    statement = (
        select(func.count(AttemptRow.run_id.distinct()))
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .join(RepoRow, RepoRow.id == RunRow.repo_id)
        .where(RepoRow.full_name == repo, AttemptRow.judged_at.is_not(None))
    )
    return session.execute(statement).scalar_one()


def judged_since(session: Session, since: datetime, *, limit: int) -> list[JudgedAttempt]:
    """In the order in which they were judged; one that was judged again stands where it was last."""
    failures = (
        select(func.count())
        .select_from(FailureRow)
        .where(FailureRow.attempt_id == AttemptRow.id)
        .scalar_subquery()
    )
    statement = (
        select(AttemptRow, RunRow, RepoRow.shown_name, failures)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .join(RepoRow, RepoRow.id == RunRow.repo_id)
        .where(AttemptRow.judged_at >= since)
        .order_by(AttemptRow.judged_at, AttemptRow.id)
        .limit(limit)
    )
    return [
        JudgedAttempt(
            key=attempt.id,
            repo_name=RepoName(name),
            run=RunId(run.github_id),
            attempt=attempt.number,
            workflow=run.workflow,
            event=run.event,
            branch=run.head_branch,
            pull=run.pull,
            conclusion=attempt.conclusion,
            failures=count,
            judged_at=attempt.judged_at or since,
        )
        for attempt, run, name, count in session.execute(statement)
    ]
