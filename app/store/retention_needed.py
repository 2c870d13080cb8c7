"""Which old attempts are still needed: by an open alert, an open pull request, or a verdict that stays."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, exists, or_, select, tuple_
from sqlalchemy.orm import Session

from app.domain.ids import RepoName
from app.store.named_runs import NamedRunRow
from app.store.reports import AlertRow, AlertState
from app.store.repos import PullRow, RepoRow
from app.store.retention import OldAttempt
from app.store.runs import AttemptRow, RunRow
from app.store.upsert import ROWS_PER_STATEMENT, chunks

BEFORE_AN_ALERT = timedelta(days=1)
"""An alert can open on a run that is recorded after others of the same commit."""


@dataclass(frozen=True, slots=True)
class OpenPull:
    """`repo` is our key."""

    repo: int
    repo_name: RepoName
    number: int


def told_of(session: Session, old: Sequence[OldAttempt]) -> set[int]:
    """The attempts that an open alert or the comment on an open pull request may have to tell of again.

    The comment tells of all at the head, also of a push before the pull request was opened. An alert counts
    from when attempts were recorded: a re-run's run is older.
    """
    since = _open_alerts(session)
    pulls = _open_among(session, {(one.repo, one.pull) for one in old if one.pull is not None})
    heads = _open_heads(session, {(one.repo, one.head_sha) for one in old if one.pull is None})
    return {
        one.id
        for one in old
        if (one.repo, one.pull) in pulls
        or (one.pull is None and (one.repo, one.head_sha) in heads)
        or _is_after(one, since.get((one.repo, one.head_branch)))
    }


def old_open_pulls(session: Session, *, raw: datetime, failures: datetime) -> list[OpenPull]:
    """Pull requests, open when they were last heard of, of attempts that would go or lose their texts."""
    goes = AttemptRow.recorded_at < failures
    loses = and_(
        AttemptRow.recorded_at < raw, AttemptRow.raw_removed_at.is_(None), AttemptRow.judged_at.is_not(None)
    )
    old = exists().where(AttemptRow.run_id == RunRow.id, or_(goes, loses))
    of_pull = old.where(RunRow.repo_id == PullRow.repo_id, RunRow.pull == PullRow.number)
    at_head = old.where(
        RunRow.repo_id == PullRow.repo_id, RunRow.head_sha == PullRow.head_sha, RunRow.pull.is_(None)
    )
    statement = (
        select(PullRow.repo_id, RepoRow.shown_name, PullRow.number)
        .join(RepoRow, RepoRow.id == PullRow.repo_id)
        .where(PullRow.is_open.is_(True), or_(of_pull, at_head))
        .order_by(PullRow.repo_id, PullRow.number)
    )
    return [OpenPull(repo, RepoName(name), number) for repo, name, number in session.execute(statement)]


def named_by(session: Session, going: Sequence[OldAttempt]) -> Mapping[int, set[int]]:
    """For each attempt with evidence that names their runs, which of these attempts it names."""
    runs: dict[tuple[int, int], list[int]] = {}
    for one in going:
        runs.setdefault((one.repo, one.github_id), []).append(one.id)
    found: dict[int, set[int]] = {}
    for some in chunks(sorted(runs), ROWS_PER_STATEMENT):
        statement = select(NamedRunRow.repo_id, NamedRunRow.run, NamedRunRow.attempt_id).where(
            tuple_(NamedRunRow.repo_id, NamedRunRow.run).in_(some)
        )
        for repo, run, attempt in session.execute(statement):
            found.setdefault(attempt, set()).update(runs[repo, run])
    return found


def _open_among(session: Session, pulls: Collection[tuple[int, int]]) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    for some in chunks(sorted(pulls), ROWS_PER_STATEMENT):
        statement = select(PullRow.repo_id, PullRow.number).where(
            PullRow.is_open.is_(True), tuple_(PullRow.repo_id, PullRow.number).in_(some)
        )
        found.update((repo, number) for repo, number in session.execute(statement))
    return found


def _open_heads(session: Session, heads: Collection[tuple[int, str]]) -> set[tuple[int, str]]:
    found: set[tuple[int, str]] = set()
    for some in chunks(sorted(heads), ROWS_PER_STATEMENT):
        statement = select(PullRow.repo_id, PullRow.head_sha).where(
            PullRow.is_open.is_(True), tuple_(PullRow.repo_id, PullRow.head_sha).in_(some)
        )
        found.update((repo, head) for repo, head in session.execute(statement))
    return found


def _open_alerts(session: Session) -> dict[tuple[int, str | None], datetime]:
    statement = select(AlertRow.repo_id, AlertRow.branch, AlertRow.opened_at).where(
        AlertRow.state == AlertState.OPEN.value
    )
    return {(repo, branch): at for repo, branch, at in session.execute(statement)}


def _is_after(one: OldAttempt, opened_at: datetime | None) -> bool:
    return opened_at is not None and one.recorded_at >= opened_at - BEFORE_AN_ALERT
