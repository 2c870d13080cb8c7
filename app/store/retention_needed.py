"""Which old attempts are still needed: by an open alert, an open pull request, or a verdict that stays."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.domain.ids import RepoName
from app.store.failures import FailureRow
from app.store.reports import AlertRow, AlertState
from app.store.repos import PullRow, RepoRow
from app.store.retention import OldAttempt
from app.store.verdicts import EvidenceRow

BEFORE_AN_ALERT = timedelta(days=1)
"""An alert can open on a run that is recorded after others of the same commit."""

AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class OpenPull:
    """`repo` is our key."""

    repo: int
    repo_name: RepoName
    number: int


def told_of(session: Session, old: Sequence[OldAttempt]) -> set[int]:
    """The attempts that an open alert or the comment on an open pull request may have to tell of again."""
    since = _open_alerts(session)
    pulls = {(one.repo, one.number) for one in open_pulls(session, old)}
    return {
        one.id
        for one in old
        if (one.repo, one.pull) in pulls or _is_after(one, since.get((one.repo, one.head_branch)))
    }


def open_pulls(session: Session, old: Sequence[OldAttempt]) -> list[OpenPull]:
    """The pull requests of these attempts that were open when they were last heard of."""
    wanted = {(one.repo, one.pull) for one in old if one.pull is not None}
    statement = (
        select(PullRow.repo_id, RepoRow.shown_name, PullRow.number)
        .join(RepoRow, RepoRow.id == PullRow.repo_id)
        .where(PullRow.is_open.is_(True))
        .order_by(PullRow.repo_id, PullRow.number)
    )
    found = (OpenPull(repo, RepoName(name), number) for repo, name, number in session.execute(statement))
    return [one for one in found if (one.repo, one.number) in wanted]


def evidence_for_others(session: Session, going: Sequence[OldAttempt]) -> set[int]:
    """Those of the attempts whose runs are named as evidence on a failure of an attempt that stays."""
    runs: dict[tuple[int, int], list[int]] = {}
    for one in going:
        runs.setdefault((one.repo, one.github_id), []).append(one.id)
    if not runs:
        return set()
    keys = {one.id for one in going}
    needed: set[int] = set()
    for repo, named in _named_runs(session, keys):
        for run in named:
            needed.update(runs.get((repo, run), ()))
    return needed


def _named_runs(session: Session, going: Collection[int]) -> Iterator[tuple[int, Sequence[int]]]:
    """By repository, the runs that evidence on failures of all but these attempts names."""
    statement = (
        select(EvidenceRow.id, EvidenceRow.runs, FailureRow.repo_id, FailureRow.attempt_id)
        .join(FailureRow, FailureRow.id == EvidenceRow.failure_id)
        .order_by(EvidenceRow.id)
        .limit(AT_ONCE)
    )
    last = 0
    while found := session.execute(statement.where(EvidenceRow.id > last)).all():
        last = found[-1].id
        yield from ((row.repo_id, row.runs) for row in found if row.attempt_id not in going)


def _open_alerts(session: Session) -> dict[tuple[int, str | None], datetime]:
    statement = select(AlertRow.repo_id, AlertRow.branch, AlertRow.opened_at).where(
        AlertRow.state == AlertState.OPEN.value
    )
    return {(repo, branch): at for repo, branch, at in session.execute(statement)}


def _is_after(one: OldAttempt, opened_at: datetime | None) -> bool:
    return opened_at is not None and one.created_at >= opened_at - BEFORE_AN_ALERT
