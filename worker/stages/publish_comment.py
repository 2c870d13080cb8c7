"""Sixth stage, for a pull request: one comment, edited in place, and none where all was only ever green."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.domain.errors import Gone
from app.domain.failure_entry import FailureLine
from app.domain.gap import Gap
from app.domain.ids import RepoName
from app.domain.marker import comment_marker, find_marker
from app.domain.pull_comment import PullComment, Resolved, render_comment
from app.domain.run import Conclusion
from app.github.facts import Comment
from app.settings import Settings
from app.store import gaps, reports, repos, runs
from app.store.runs import JobExecution, StoredAttempt
from app.store.session import read_only, unit_of_work
from worker.deps import Deps, Payload
from worker.report_lines import current_executions, failure_lines, red_executions


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
    red = red_executions(session, attempts)
    lines = failure_lines(session, red)
    is_red = bool(lines) or any(_is_red(one) for one in red)
    if not is_red and stored is None:
        return None
    resolved = None if is_red else _resolved(session, attempts)
    if not is_red and resolved is None:
        return None
    comment = PullComment(
        repo=name,
        number=number,
        head_sha=pull.head_sha,
        verdicts=lines,
        dashboard_url=f"{settings.dashboard_url}/?repo={name}&pull={number}",
        gaps=_gaps(session, red) if is_red else (),
        resolved=resolved,
        github_url=settings.github_url,
    )
    body = render_comment(comment, limit_bytes=settings.comment_bytes)
    return Wanted(name, body, only_if_there=not is_red, stored=stored)


def _is_red(execution: JobExecution) -> bool:
    conclusion = execution.job.conclusion
    return conclusion is not None and conclusion.is_red


def _resolved(session: Session, attempts: Sequence[StoredAttempt]) -> Resolved | None:
    """Only a success proves green; runs that were cancelled or skipped prove nothing."""
    green = [one for one in attempts if one.conclusion is Conclusion.SUCCESS]
    if not green:
        return None
    newest = max(green, key=lambda one: (one.completed_at, one.id))
    return Resolved(newest.run, newest.completed_at, earlier=_earlier(session, attempts))


def _earlier(session: Session, attempts: Sequence[StoredAttempt]) -> tuple[FailureLine, ...]:
    current = {one.job.id for one in current_executions(session, attempts)}
    superseded = [
        one
        for attempt in attempts
        for one in current_executions(session, [attempt])
        if one.job.id not in current
    ]
    return failure_lines(session, superseded)


def _gaps(session: Session, red: Sequence[JobExecution]) -> tuple[Gap, ...]:
    jobs = {one.job.id for one in red}
    noted = gaps.of_attempts(session, {one.attempt.id for one in red})
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
