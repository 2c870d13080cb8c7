"""Runs, their attempts, and the jobs of each attempt: their tables, and how they are read."""

from datetime import datetime

from sqlalchemy import ColumnElement, ForeignKey, Index, UniqueConstraint, select, text
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.ids import JobId, RepoName, RunId, Sha, TreeSha
from app.domain.run import TESTS_THE_PUSHED_COMMIT, Conclusion
from app.domain.tested_tree import TestedTree, ToldBy, TreeSource
from app.store.base import Base, Json, ShortText
from app.store.repos import RepoRow
from app.store.run_values import JobExecution, StoredAttempt, StoredJob

LONGEST_NAME = 500
"""Characters of a job's and of a variant's name."""


class RunRow(Base):
    __tablename__ = "runs"
    __table_args__ = (
        UniqueConstraint("repo_id", "github_id"),
        Index("ix_runs_head", "repo_id", "head_sha"),
        Index("ix_runs_branch", "repo_id", "head_branch", "created_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repo_id: Mapped[int] = mapped_column(ForeignKey("repos.id"))
    github_id: Mapped[int]
    workflow_id: Mapped[int]
    workflow: Mapped[str] = mapped_column(ShortText(300))
    event: Mapped[str] = mapped_column(ShortText(60))
    head_sha: Mapped[str] = mapped_column(ShortText(64))
    head_branch: Mapped[str | None] = mapped_column(ShortText(300))
    pull: Mapped[int | None] = mapped_column(index=True)
    from_fork: Mapped[bool]
    url: Mapped[str] = mapped_column(ShortText(500))
    created_at: Mapped[datetime]


class AttemptRow(Base):
    __tablename__ = "attempts"
    __table_args__ = (
        UniqueConstraint("run_id", "number"),
        Index("ix_attempts_recorded_at", "recorded_at"),
        Index("ix_attempts_judged_at", "judged_at"),
        Index(
            "ix_attempts_raw",
            "recorded_at",
            sqlite_where=text("raw_removed_at IS NULL"),
            postgresql_where=text("raw_removed_at IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"))
    number: Mapped[int]
    conclusion: Mapped[str | None] = mapped_column(ShortText(30))
    actor: Mapped[str | None] = mapped_column(ShortText(100))
    started_at: Mapped[datetime]
    completed_at: Mapped[datetime]
    recorded_at: Mapped[datetime]
    judged_at: Mapped[datetime | None]
    raw_removed_at: Mapped[datetime | None]
    """When its texts, files and run vectors were removed, since they were past their time."""


class JobRow(Base):
    __tablename__ = "jobs"
    __table_args__ = (
        UniqueConstraint("attempt_id", "github_id"),
        Index("ix_jobs_tested_tree", "tested_tree"),
        Index("ix_jobs_variant", "variant_id", "started_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"))
    github_id: Mapped[int]
    name: Mapped[str] = mapped_column(ShortText(LONGEST_NAME))
    variant_id: Mapped[int] = mapped_column(ForeignKey("variants.id"))
    shard: Mapped[str | None] = mapped_column(ShortText(60))
    conclusion: Mapped[str | None] = mapped_column(ShortText(30))
    runner: Mapped[str | None] = mapped_column(ShortText(200))
    labels: Mapped[list[str]] = mapped_column(Json)
    failed_step: Mapped[str | None] = mapped_column(ShortText(300))
    url: Mapped[str] = mapped_column(ShortText(500))
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]
    tree_source: Mapped[str] = mapped_column(ShortText(20), default=TreeSource.UNKNOWN.value)
    tested_commit: Mapped[str | None] = mapped_column(ShortText(64))
    tested_tree: Mapped[str | None] = mapped_column(ShortText(64))
    tested_base: Mapped[str | None] = mapped_column(ShortText(64))
    tree_told_by: Mapped[str] = mapped_column(ShortText(20), server_default=ToldBy.CHECKOUT_STEP.value)
    base_in_head: Mapped[bool | None]
    """Of the merge commit that was checked out: whether its base side is an ancestor of the head."""
    counted_at: Mapped[datetime | None]
    """When this job's results went into the daily counters: the guard against counting twice."""


class VariantRow(Base):
    """A job's name without its shard: results are compared within one variant."""

    __tablename__ = "variants"
    __table_args__ = (UniqueConstraint("repo_id", "workflow_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    repo_id: Mapped[int] = mapped_column(ForeignKey("repos.id"))
    workflow_id: Mapped[int]
    name: Mapped[str] = mapped_column(ShortText(LONGEST_NAME))


def attempt(session: Session, key: int) -> StoredAttempt:
    return _attempts(session, AttemptRow.id == key, limit=1)[0]


def github_run(session: Session, attempt: int) -> RunId | None:
    """GitHub's id of the run that an attempt is of; None if there is no such attempt."""
    run = select(RunRow.github_id).join(AttemptRow, AttemptRow.run_id == RunRow.id)
    found = session.scalars(run.where(AttemptRow.id == attempt)).one_or_none()
    return None if found is None else RunId(found)


def attempts_at(session: Session, repo: int, head_sha: Sha) -> list[StoredAttempt]:
    """Attempts whose run reports this head, newest first, at most 200."""
    return _attempts(session, RunRow.repo_id == repo, RunRow.head_sha == head_sha, limit=200)


def attempts_of_pull(session: Session, repo: int, number: int) -> list[StoredAttempt]:
    """Attempts of runs known to be of this pull request, at any head, newest first, at most 200."""
    return _attempts(session, RunRow.repo_id == repo, RunRow.pull == number, limit=200)


def attempts_on(session: Session, repo: int, branch: str, *, limit: int) -> list[StoredAttempt]:
    """Attempts of runs that tested a branch's own commits, newest first; pull requests are not among them."""
    where = (RunRow.repo_id == repo, RunRow.head_branch == branch, RunRow.event.in_(TESTS_THE_PUSHED_COMMIT))
    return _attempts(session, *where, limit=limit)


def _attempts(session: Session, *where: ColumnElement[bool], limit: int) -> list[StoredAttempt]:
    statement = (
        select(AttemptRow, RunRow, RepoRow.shown_name)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .join(RepoRow, RepoRow.id == RunRow.repo_id)
        .where(*where)
        .order_by(AttemptRow.started_at.desc(), AttemptRow.id.desc())
        .limit(limit)
    )
    return [_attempt(row, run, name) for row, run, name in session.execute(statement)]


def _attempt(row: AttemptRow, run: RunRow, repo_name: str) -> StoredAttempt:
    return StoredAttempt(
        id=row.id,
        run_key=run.id,
        repo=run.repo_id,
        repo_name=RepoName(repo_name),
        run=RunId(run.github_id),
        attempt=row.number,
        workflow_id=run.workflow_id,
        workflow=run.workflow,
        event=run.event,
        head_sha=Sha(run.head_sha),
        head_branch=run.head_branch,
        pull=run.pull,
        from_fork=run.from_fork,
        conclusion=None if row.conclusion is None else Conclusion(row.conclusion),
        started_at=row.started_at,
        completed_at=row.completed_at,
        recorded_at=row.recorded_at,
        url=run.url,
        is_judged=row.judged_at is not None,
        is_stripped=row.raw_removed_at is not None,
    )


def jobs_of(session: Session, attempt_key: int) -> list[StoredJob]:
    """Jobs of one attempt, by name."""
    found = job_executions(session, JobRow.attempt_id == attempt_key, limit=1000)
    return sorted((execution.job for execution in found), key=lambda job: (job.name, job.id))


def job_executions(session: Session, *where: ColumnElement[bool], limit: int) -> list[JobExecution]:
    """Jobs with their attempts, newest first. Conditions may name JobRow, AttemptRow and RunRow."""
    statement = (
        select(JobRow, VariantRow.name, AttemptRow, RunRow, RepoRow.shown_name)
        .join(VariantRow, VariantRow.id == JobRow.variant_id)
        .join(AttemptRow, AttemptRow.id == JobRow.attempt_id)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .join(RepoRow, RepoRow.id == RunRow.repo_id)
        .where(*where)
        .order_by(AttemptRow.started_at.desc(), JobRow.id.desc())
        .limit(limit)
    )
    return [
        JobExecution(_job(job, variant), _attempt(row, run, name))
        for job, variant, row, run, name in session.execute(statement)
    ]


def _job(row: JobRow, variant: str) -> StoredJob:
    return StoredJob(
        id=row.id,
        attempt=row.attempt_id,
        github_id=JobId(row.github_id),
        name=row.name,
        variant_id=row.variant_id,
        variant=variant,
        shard=row.shard,
        conclusion=None if row.conclusion is None else Conclusion(row.conclusion),
        runner=row.runner,
        failed_step=row.failed_step,
        url=row.url,
        started_at=row.started_at,
        completed_at=row.completed_at,
        tested=TestedTree(
            source=TreeSource(row.tree_source),
            commit=None if row.tested_commit is None else Sha(row.tested_commit),
            tree=None if row.tested_tree is None else TreeSha(row.tested_tree),
            merge_base_parent=None if row.tested_base is None else Sha(row.tested_base),
            base_in_head=row.base_in_head,
            told_by=ToldBy(row.tree_told_by),
        ),
    )
