"""Attempts as one line each: enough to name, colour and link a run."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from app.domain.ids import RepoName, RunId, Sha
from app.domain.run import TESTS_THE_PUSHED_COMMIT, Conclusion
from app.store.repos import RepoRow
from app.store.runs import AttemptRow, RunRow

_RED = [conclusion.value for conclusion in Conclusion if conclusion.is_red]


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """`key` is our key of the attempt, `run` GitHub's id; `judged_at` is None until its failures are judged."""

    key: int
    repo: int
    repo_name: RepoName
    run: RunId
    number: int
    workflow: str
    event: str
    head_sha: Sha
    branch: str | None
    pull: int | None
    conclusion: Conclusion | None
    started_at: datetime
    completed_at: datetime
    judged_at: datetime | None
    url: str


Columns = tuple[
    int,
    int,
    str,
    int,
    int,
    str,
    str,
    str,
    str | None,
    int | None,
    str | None,
    datetime,
    datetime,
    datetime | None,
    str,
]


def _lines() -> Select[Columns]:
    return (
        select(
            AttemptRow.id,
            RunRow.repo_id,
            RepoRow.shown_name,
            RunRow.github_id,
            AttemptRow.number,
            RunRow.workflow,
            RunRow.event,
            RunRow.head_sha,
            RunRow.head_branch,
            RunRow.pull,
            AttemptRow.conclusion,
            AttemptRow.started_at,
            AttemptRow.completed_at,
            AttemptRow.judged_at,
            RunRow.url,
        )
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .join(RepoRow, RepoRow.id == RunRow.repo_id)
    )


def on_default_branches(session: Session, *, since: datetime, each: int) -> list[AttemptLine]:
    """The newest attempts on every repository's default branch, at most `each` a repository, newest first.

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


def of_github_runs(session: Session, repo: int, runs: Collection[int]) -> dict[int, AttemptLine]:
    """The newest attempt of each run, by GitHub's id. Served by the unique key of runs."""
    where: ColumnElement[bool] = RunRow.github_id.in_(list(runs))
    statement = _lines().where(RunRow.repo_id == repo, where).order_by(AttemptRow.number).limit(1000)
    return {line.run: line for line in _read(session, statement)}


def _read(session: Session, statement: Select[Columns]) -> list[AttemptLine]:
    return [
        AttemptLine(
            key=key,
            repo=repo,
            repo_name=RepoName(name),
            run=RunId(run),
            number=number,
            workflow=workflow,
            event=event,
            head_sha=Sha(sha),
            branch=branch,
            pull=pull,
            conclusion=None if conclusion is None else Conclusion(conclusion),
            started_at=started_at,
            completed_at=completed_at,
            judged_at=judged_at,
            url=url,
        )
        for (
            key,
            repo,
            name,
            run,
            number,
            workflow,
            event,
            sha,
            branch,
            pull,
            conclusion,
            started_at,
            completed_at,
            judged_at,
            url,
        ) in session.execute(statement).tuples()
    ]
