"""One failure: where it happened, every verdict on it, and its whole text."""

from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from app.dashboard import links, marks, parts, replay_views, views
from app.dashboard.contexts import FailurePage
from app.dashboard.evidence_parts import Weaknesses
from app.dashboard.links import GitHubLinks
from app.dashboard.tests_parts import Observation
from app.dashboard.weakness_views import weaknesses
from app.domain.ids import RepoName
from app.store import blobs, identities, lints, replays, runs, verdicts
from app.store.lints import Linted
from app.store.runs import JobRow
from app.store.screens import attempt_lines, failure_lines, one_test
from app.store.screens.failure_lines import FailureLine

TEXT_HEAD: Final = 100_000
TEXT_TAIL: Final = 300_000
"""Characters; more than a stored failure text holds, so only a repaired one is ever cut here."""
RANK_LOGS_SHOWN: Final = 50
FILES_LOOKED_AT: Final = 500
"""Of an attempt's kept files, for the reports of its replays."""


def failure_page(session: Session, failure: int, github: GitHubLinks, *, now: datetime) -> FailurePage | None:
    """None if there is no such failure."""
    line = failure_lines.by_key(session, failure)
    if line is None:
        return None
    attempt = attempt_lines.by_key(session, {line.attempt})[line.attempt]
    history = verdicts.history(session, [failure])
    named = attempt_lines.of_github_runs(session, attempt.repo, views.runs_named(history))
    logs = one_test.rank_logs(session, {line.attempt}, limit=RANK_LOGS_SHOWN)
    files = one_test.files_of(session, line.attempt, limit=FILES_LOOKED_AT)
    replayed = replays.of_failure(
        session, line.attempt, line.job, line.label, replays.of_attempt(session, line.attempt)
    )
    linted = lints.of_failures(session, [failure]).get(failure)
    text = blobs.texts(session, {line.text_blob})[line.text_blob]
    return FailurePage(
        title=line.label,
        section="tests",
        asked_at=now,
        name=views.failure_name(line),
        heading=line.title,
        badge=marks.badge(line.ruling, opaque=line.opaque, with_whose=attempt.pull is not None),
        observation=_observation(session, line, views.attempt(attempt, github)),
        rulings=tuple(
            views.ruling(stored, named, with_whose=attempt.pull is not None) for stored in reversed(history)
        ),
        replays=tuple(replay_views.replay(one, files) for one in replayed if line.test is not None),
        weaknesses=None if linted is None else _weaknesses(session, line, linted, attempt.repo_name, github),
        text=views.excerpt(
            text,
            cut=line.cut,
            head=TEXT_HEAD,
            tail=TEXT_TAIL,
            removed=line.text_blob == blobs.REMOVED,
        ),
        rank_logs=tuple(views.file(log) for log in logs if log.job in {line.job, None}),
    )


def _weaknesses(
    session: Session, line: FailureLine, linted: Linted, repo: RepoName, github: GitHubLinks
) -> Weaknesses:
    assert line.test is not None, "only a test's source is looked at"
    return weaknesses(linted, identities.by_key(session, {line.test})[line.test], repo, github)


def _observation(session: Session, line: FailureLine, attempt: parts.Attempt) -> Observation:
    job = runs.job_executions(session, JobRow.id == line.job, limit=1)[0].job
    return Observation(
        mark=marks.OF_OUTCOME[line.outcome],
        attempt=attempt,
        job=links.outside(job.name, job.url),
        tree=views.tree(job.tested),
        failure=None,
        badge=None,
    )
