"""Attempts as one line each: enough to name, colour and link a run."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from app.domain.commit_state import standing_jobs
from app.domain.ids import RepoName, RunId, Sha
from app.domain.run import TESTS_THE_PUSHED_COMMIT, Conclusion
from app.domain.run_conclusion import SeenAttempt, by_their_jobs
from app.store import seen_jobs
from app.store.repos import RepoRow
from app.store.runs import AttemptRow, RunRow

_RED = [conclusion.value for conclusion in Conclusion if conclusion.is_red]


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """`key` is ours, `run` is GitHub's id; `judged_at` is None until its failures are judged.

    `raw_removed_at` is None while its texts, files and single results are kept.
    """

    key: int
    repo: int
    repo_name: RepoName
    run: RunId
    number: int
    workflow_id: int
    workflow: str
    event: str
    head_sha: Sha
    branch: str | None
    pull: int | None
    conclusion: Conclusion | None
    started_at: datetime
    completed_at: datetime
    judged_at: datetime | None
    raw_removed_at: datetime | None
    url: str


Statement = Select[AttemptRow, RunRow, str]


def _lines() -> Statement:
    return (
        select(AttemptRow, RunRow, RepoRow.shown_name)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .join(RepoRow, RepoRow.id == RunRow.repo_id)
    )


def on_default_branches(
    session: Session, repositories: Collection[int], *, since: datetime, each: int
) -> list[AttemptLine]:
    """The newest attempts on these repositories' default branches, at most `each` of one, newest first.

    Served by ix_runs_branch; runs of pull requests are not among them.
    """
    place = func.row_number().over(
        partition_by=RunRow.repo_id, order_by=(AttemptRow.started_at.desc(), AttemptRow.id.desc())
    )
    ranked = (
        select(AttemptRow.id.label("key"), place.label("place"))
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .join(RepoRow, RepoRow.id == RunRow.repo_id)
        .where(
            RunRow.repo_id.in_(list(repositories)),
            RunRow.head_branch == RepoRow.default_branch,
            RunRow.created_at >= since,
            RunRow.event.in_(TESTS_THE_PUSHED_COMMIT),
        )
        .subquery()
    )
    statement = _lines().join(ranked, ranked.c.key == AttemptRow.id).where(ranked.c.place <= each)
    return _read(session, statement.order_by(AttemptRow.started_at.desc(), AttemptRow.id.desc()))


def newest_red(session: Session, *, limit: int) -> list[AttemptLine]:
    """Red attempts of any branch and pull request, newest recorded first. Walks the primary key backwards."""
    statement = _lines().where(AttemptRow.conclusion.in_(_RED)).order_by(AttemptRow.id.desc()).limit(limit)
    return _read(session, statement)


def by_key(session: Session, attempts: Collection[int]) -> dict[int, AttemptLine]:
    """Served by the primary key."""
    statement = _lines().where(AttemptRow.id.in_(list(attempts))).limit(1000)
    return {line.key: line for line in _read(session, statement)}


def of_run(session: Session, attempt: int) -> list[AttemptLine]:
    """All attempts of the run that this attempt belongs to, first attempt first."""
    run = select(AttemptRow.run_id).where(AttemptRow.id == attempt).scalar_subquery()
    statement = _lines().where(AttemptRow.run_id == run).order_by(AttemptRow.number).limit(100)
    return _read(session, statement)


def of_pull(session: Session, repo: int, pull: int, *, limit: int) -> list[AttemptLine]:
    """Attempts for one pull request, newest first. Served by ix_runs_pull."""
    statement = _lines().where(RunRow.repo_id == repo, RunRow.pull == pull)
    return _read(session, statement.order_by(AttemptRow.started_at.desc(), AttemptRow.id.desc()).limit(limit))


def at_head(session: Session, repo: int, sha: Sha, *, pull: int, limit: int) -> list[AttemptLine]:
    """Attempts at a pull request's head, newest first: its own, and those that name no pull request.

    Served by ix_runs_head.
    """
    statement = _lines().where(
        RunRow.repo_id == repo, RunRow.head_sha == sha, or_(RunRow.pull == pull, RunRow.pull.is_(None))
    )
    return _read(session, statement.order_by(AttemptRow.started_at.desc(), AttemptRow.id.desc()).limit(limit))


def at_heads(session: Session, heads: Collection[Sha], *, limit: int) -> list[AttemptLine]:
    """Attempts at these heads in any repository, newest first. Served by ix_runs_head."""
    statement = _lines().where(RunRow.repo_id.in_(select(RepoRow.id)), RunRow.head_sha.in_(list(heads)))
    return _read(session, statement.order_by(AttemptRow.started_at.desc(), AttemptRow.id.desc()).limit(limit))


def red_of_pulls(session: Session, *, limit: int) -> list[AttemptLine]:
    """Red attempts of pull requests, newest recorded first. Walks the primary key backwards."""
    statement = _lines().where(AttemptRow.conclusion.in_(_RED), RunRow.pull.is_not(None))
    return _read(session, statement.order_by(AttemptRow.id.desc()).limit(limit))


def around_failures(
    session: Session, repo: int, shas: Collection[Sha], *, branch: str, since: datetime, limit: int
) -> list[AttemptLine]:
    """Attempts at these heads, newest first, then as many of the branch's newest as the limit leaves.

    Served by ix_runs_head and ix_runs_branch.
    """
    newest_first = (AttemptRow.started_at.desc(), AttemptRow.id.desc())
    at_heads = _lines().where(RunRow.repo_id == repo, RunRow.head_sha.in_(list(shas)))
    on_branch = _lines().where(
        RunRow.repo_id == repo,
        RunRow.head_branch == branch,
        RunRow.event.in_(TESTS_THE_PUSHED_COMMIT),
        RunRow.created_at >= since,
    )
    found = {
        line.key: line
        for statement in (at_heads, on_branch)
        for line in _read(session, statement.order_by(*newest_first).limit(limit))
    }
    return list(found.values())[:limit]


def current_jobs(session: Session, attempts: Collection[int]) -> frozenset[int]:
    """Of the jobs in these attempts, those that stand now. Served by the unique key of jobs."""
    return standing_jobs(seen_jobs.of_attempts(session, attempts))


def borne_out(session: Session, lines: Sequence[AttemptLine]) -> list[AttemptLine]:
    """The same lines in the same order, each with the conclusion that its run's jobs bear out."""
    seen = [SeenAttempt(line.key, line.run, line.number, line.conclusion) for line in lines]
    told = by_their_jobs(seen, seen_jobs.of_attempts(session, {line.key for line in lines}))
    return [replace(line, conclusion=told[line.key]) for line in lines]


def of_github_runs(session: Session, repo: int, runs: Collection[int]) -> dict[int, AttemptLine]:
    """The newest attempt of each run, by GitHub's id. Served by the unique key of runs."""
    statement = (
        _lines()
        .where(RunRow.repo_id == repo, RunRow.github_id.in_(list(runs)))
        .order_by(AttemptRow.number)
        .limit(1000)
    )
    return {line.run: line for line in _read(session, statement)}


def _read(session: Session, statement: Statement) -> list[AttemptLine]:
    return [
        AttemptLine(
            key=attempt.id,
            repo=run.repo_id,
            repo_name=RepoName(repo_name),
            run=RunId(run.github_id),
            number=attempt.number,
            workflow_id=run.workflow_id,
            workflow=run.workflow,
            event=run.event,
            head_sha=Sha(run.head_sha),
            branch=run.head_branch,
            pull=run.pull,
            conclusion=None if attempt.conclusion is None else Conclusion(attempt.conclusion),
            started_at=attempt.started_at,
            completed_at=attempt.completed_at,
            judged_at=attempt.judged_at,
            raw_removed_at=attempt.raw_removed_at,
            url=run.url,
        )
        for attempt, run, repo_name in session.execute(statement)
    ]
