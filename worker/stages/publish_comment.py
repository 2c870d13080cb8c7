"""Sixth stage, for a pull request: one comment, edited in place, and none where all was only ever green."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.domain.branch_state import Colour
from app.domain.commit_state import CommitState
from app.domain.errors import Gone
from app.domain.failure_entry import FailureLine
from app.domain.gap import Gap
from app.domain.ids import RepoName
from app.domain.marker import comment_marker, find_marker
from app.domain.pull_comment import PullComment, Resolved, render_comment
from app.github.facts import Comment
from app.settings import Settings
from app.store import gaps, reports, repos, runs
from app.store.runs import JobExecution, StoredAttempt
from app.store.session import read_only, unit_of_work
from worker.deps import Deps, Payload
from worker.report_lines import current_executions, failure_lines, state_of, told_executions, without_secrets


@dataclass(frozen=True, slots=True)
class Wanted:
    """`only_if_there` is set for good news: it edits a comment, and never begins one."""

    repo: RepoName
    body: str
    only_if_there: bool
    stored: reports.PublishedComment | None


def publish_comment(deps: Deps, payload: Payload) -> None:
    """Make the comment say what is known now. Safe to repeat: what GitHub holds is read before a write."""
    repo, pull = payload["repo"], payload["pull"]
    with read_only(deps.store) as session:
        wanted = _wanted(session, repo, pull, deps.settings)
    if wanted is None or (wanted.stored is not None and wanted.stored.body == wanted.body):
        return
    published = _publish(deps, pull, wanted)
    if published is not None:
        with unit_of_work(deps.store) as session:
            reports.remember_comment(
                session, repo, pull, github_id=published.id, body=wanted.body, at=deps.clock.now()
            )


def _wanted(session: Session, repo: int, number: int, settings: Settings) -> Wanted | None:
    """None while nothing is known of the pull request's head."""
    pull = repos.pull(session, repo, number)
    attempts = runs.attempts_at(session, repo, pull.head_sha) if pull else []
    attempts = [one for one in attempts if one.pull in {number, None} and one.is_judged]
    if pull is None or not attempts:
        return None
    name = repos.name_of(session, repo)
    stored = reports.comment(session, repo, number)
    state = state_of(attempts)
    told = told_executions(session, attempts)
    lines = failure_lines(session, told)
    is_red = state.colour is Colour.RED or bool(lines)
    if not is_red and stored is None:
        return None
    resolved = None if is_red else _resolved(session, state, attempts)
    if not is_red and resolved is None:
        return None
    comment = PullComment(
        repo=name,
        number=number,
        head_sha=pull.head_sha,
        verdicts=lines,
        dashboard_url=f"{settings.dashboard_url}/?repo={name}&pull={number}",
        gaps=_gaps(session, told) if is_red else (),
        resolved=resolved,
        github_url=settings.github_url,
    )
    body = without_secrets(render_comment(comment, limit_bytes=settings.comment_bytes))
    return Wanted(name, body, only_if_there=not is_red, stored=stored)


def _resolved(session: Session, state: CommitState, attempts: Sequence[StoredAttempt]) -> Resolved | None:
    """Only successes of every workflow prove green; runs that were cancelled prove nothing."""
    if state.colour is not Colour.GREEN:
        return None
    newest = next(one for one in attempts if one.id == state.newest)
    return Resolved(newest.run, newest.completed_at, earlier=_earlier(session, attempts))


def _earlier(session: Session, attempts: Sequence[StoredAttempt]) -> tuple[FailureLine, ...]:
    """What failed in attempts that were red; one by one, because a later attempt does not replace it here."""
    red = [one for one in attempts if one.conclusion is not None and one.conclusion.is_red]
    return failure_lines(session, [job for one in red for job in current_executions(session, [one])])


def _gaps(session: Session, told: Sequence[JobExecution]) -> tuple[Gap, ...]:
    jobs = {one.job.id for one in told}
    noted = gaps.of_attempts(session, {one.attempt.id for one in told})
    return tuple(sorted({gap for found in noted.values() for job, gap in found if job in jobs | {0}}))


def _publish(deps: Deps, pull: int, wanted: Wanted) -> Comment | None:
    ours = _ours(deps, wanted.repo, pull)
    for double in ours[1:]:  # left by a worker that froze between writing and remembering
        deps.github.delete_comment(wanted.repo, double.id)
    if not ours:
        return None if wanted.only_if_there else deps.github.create_comment(wanted.repo, pull, wanted.body)
    if ours[0].body == wanted.body:
        return ours[0]
    try:
        return deps.github.edit_comment(wanted.repo, ours[0].id, wanted.body)
    except Gone:  # somebody deleted it meanwhile
        return None if wanted.only_if_there else deps.github.create_comment(wanted.repo, pull, wanted.body)


def _ours(deps: Deps, repo: RepoName, pull: int) -> list[Comment]:
    """Our comments here, oldest first: the marker alone proves nothing, since anyone can write it."""
    marker, we = comment_marker(repo, pull), deps.github.whoami()
    return [
        comment
        for comment in deps.github.comments(repo, pull)
        if find_marker(comment.body) == marker
        and (comment.author == we if we is not None else comment.author_is_app_or_bot)
    ]
