"""Sixth stage, for a pull request: one comment, edited in place, and none where all was only ever green."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.domain.branch_state import Colour
from app.domain.commit_state import unread_keys
from app.domain.errors import Gone
from app.domain.failure_entry import FailureLine
from app.domain.gap import Gap
from app.domain.ids import RepoName
from app.domain.marker import comment_marker, find_marker
from app.domain.pull_comment import PullComment, Resolved, Run, Unproven, render_comment
from app.github.facts import Comment
from app.settings import Settings
from app.store import gaps, reports, repos, runs, seen_jobs
from app.store.run_values import JobExecution, StoredAttempt
from app.store.session import read_only, unit_of_work
from app.store.unproven import unproven
from worker.deps import Deps, Payload
from worker.report_lines import (
    current_executions,
    failure_lines,
    red_lines,
    state_of,
    tested,
    without_secrets,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """`only_if_there` is set for good news: it edits a comment, and never begins one."""

    repo: RepoName
    body: str
    only_if_there: bool
    stored: reports.PublishedComment | None


def publish_comment(deps: Deps, payload: Payload) -> None:
    """Make the comment say what is known now. Safe to repeat: what GitHub holds is read before a write.

    With posting switched off the comment is kept, and GitHub is not asked.
    """
    repo, pull = payload["repo"], payload["pull"]
    with read_only(deps.store) as session:
        wanted = _wanted(session, repo, pull, deps.settings)
    if wanted is None or _is_told(wanted, posts=deps.settings.post):
        return
    posts = deps.settings.post
    held = None if wanted.stored is None else wanted.stored.github_id
    if posts:
        published = _publish(deps, pull, wanted)
        if published is None:
            return
        held = published.id
    comment = reports.PublishedComment(held, wanted.body, published_at=deps.clock.now(), is_posted=posts)
    with unit_of_work(deps.store) as session:
        reports.remember_comment(session, repo, pull, comment=comment)


def _is_told(wanted: Wanted, *, posts: bool) -> bool:
    """Whether this very text is where it should be; one that was only kept is still to be posted."""
    stored = wanted.stored
    return stored is not None and stored.body == wanted.body and (stored.is_posted or not posts)


def _wanted(session: Session, repo: int, number: int, settings: Settings) -> Wanted | None:
    """None while nothing is known of the pull request's head, or nothing new can be said of it; also where
    the repository has lost its name to another, which must not hear of it.
    """
    pull = repos.pull(session, repo, number)
    if pull is None or not repos.has_name(session, repo):
        return None
    found = [one for one in runs.attempts_at(session, repo, pull.head_sha) if one.pull in {number, None}]
    head = _Head(session, number, seen_jobs.borne_out(session, found))
    if not head.judged:
        return None
    stored = reports.comment(session, repo, number)
    if not head.is_red and (stored is None or head.state.colour is not Colour.GREEN):
        return None
    unproven = None if head.is_red else head.unproven(repo)
    name, linked = repos.name_of(session, repo), settings.linked_url
    comment = PullComment(
        repo=name,
        number=number,
        head_sha=pull.head_sha,
        verdicts=head.lines,
        dashboard_url=None if linked is None else f"{linked}/?repo={name}&pull={number}",
        gaps=head.gaps() if head.is_red else (),
        resolved=None if head.is_red or unproven is not None else head.resolved(),
        unproven=unproven,
        passed_over=head.passed_over(),
        not_started=head.not_started() if head.is_red else (),
        github_url=settings.github_url,
        pages_url=linked,
    )
    body = without_secrets(render_comment(comment, limit_bytes=settings.comment_bytes))
    return Wanted(name, body, only_if_there=not head.is_red, stored=stored)


class _Head:
    """What the store knows of a pull request's head, within one session; `attempts` are newest first."""

    def __init__(self, session: Session, number: int, attempts: Sequence[StoredAttempt]) -> None:
        self._session, self._number, self._attempts = session, number, attempts
        self.judged = [one for one in attempts if one.is_judged]
        self.state = state_of(self.judged)
        self._told = self._standing(self.state.told)
        self.lines = failure_lines(session, self._told)
        self.is_red = self.state.colour is Colour.RED or bool(self.lines)

    def unproven(self, repo: int) -> Unproven | None:
        """What keeps a green head from being good news; None if nothing does."""
        unread = unread_keys(tested(self._attempts), {one.id for one in self.judged})
        of_pull = runs.attempts_of_pull(self._session, repo, self._number)
        keys = {one.id for one in (*of_pull, *self._attempts) if one.is_judged}
        reds = unproven(self._session, keys)
        if not unread and not reds:
            return None
        return Unproven(
            failed=red_lines(self._session, reds),
            unread=tuple(Run(one.run, one.workflow) for one in self._attempts if one.id in unread),
        )

    def resolved(self) -> Resolved:
        newest = next(one for one in self.judged if one.id == self.state.newest)
        return Resolved(newest.run, newest.completed_at, earlier=self._earlier())

    def passed_over(self) -> tuple[FailureLine, ...]:
        """What failed in jobs that passed all the same, in runs that speak for their workflows."""
        return failure_lines(self._session, self._standing(self.state.passed))

    def not_started(self) -> tuple[Run, ...]:
        """Red runs of which no attempt has a job: GitHub could not start them."""
        red = [one for one in self.judged if one.run in self.state.told and _is_red(one)]
        started = {job.run for job in seen_jobs.of_attempts(self._session, {one.id for one in red})}
        return tuple({Run(one.run, one.workflow) for one in red if one.run not in started})

    def gaps(self) -> tuple[Gap, ...]:
        jobs = {one.job.id for one in self._told}
        noted = gaps.of_attempts(self._session, {one.attempt.id for one in self._told})
        return tuple(sorted({gap for found in noted.values() for job, gap in found if job in jobs | {0}}))

    def _earlier(self) -> tuple[FailureLine, ...]:
        """What failed in attempts that were red; one by one, because a later attempt does not replace it."""
        red = [one for one in self.judged if _is_red(one)]
        jobs = [job for one in red for job in current_executions(self._session, [one])]
        return failure_lines(self._session, jobs)

    def _standing(self, of_runs: Collection[int]) -> list[JobExecution]:
        return current_executions(self._session, [one for one in self.judged if one.run in of_runs])


def _is_red(attempt: StoredAttempt) -> bool:
    return attempt.conclusion is not None and attempt.conclusion.is_red


def _publish(deps: Deps, pull: int, wanted: Wanted) -> Comment | None:
    ours = _ours(deps, pull, wanted)
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


def _ours(deps: Deps, pull: int, wanted: Wanted) -> list[Comment]:
    """Our comments here: the one we remember, whatever people made of its text, then others by our marker.

    The marker alone proves nothing, since anyone can write it.
    """
    marker, we = comment_marker(wanted.repo, pull), deps.github.whoami()
    known = _remembered(deps, wanted)
    found = [] if known is None else [known]
    found += [
        comment
        for comment in deps.github.comments(wanted.repo, pull)
        if find_marker(comment.body) == marker and (known is None or comment.id != known.id)
    ]
    return [one for one in found if (one.author == we if we is not None else one.author_is_app_or_bot)]


def _remembered(deps: Deps, wanted: Wanted) -> Comment | None:
    if wanted.stored is None or wanted.stored.github_id is None:
        return None
    try:
        return deps.github.comment(wanted.repo, wanted.stored.github_id)
    except Gone:
        return None
