"""What a report says of each failure, read from the store: the verdict, where it was seen, and its text."""

from collections.abc import Iterable, Sequence

from sqlalchemy.orm import Session

from app.domain.commit_state import CommitState, SeenJob, TestedAttempt, commit_state, standing_jobs
from app.domain.failure_entry import FailureLine
from app.logs import hide
from app.store import blobs, failures, identities, verdicts
from app.store.failures import StoredFailure
from app.store.observations import observe
from app.store.runs import JobExecution, JobRow, StoredAttempt, job_executions

EXCERPT_CHARACTERS = 6000
"""The end of a failure's text is kept: the error stands there."""


def current_executions(session: Session, attempts: Iterable[StoredAttempt]) -> list[JobExecution]:
    """Of each job of each run, the execution that stands now."""
    keys = [one.id for one in attempts]
    found = job_executions(session, JobRow.attempt_id.in_(keys), limit=5000) if keys else []
    standing = standing_jobs(
        SeenJob(one.job.id, one.attempt.run, one.attempt.attempt, one.job.name, one.job.conclusion)
        for one in found
    )
    return [one for one in found if one.job.id in standing]


def state_of(attempts: Sequence[StoredAttempt]) -> CommitState:
    """The colour of the one commit that these attempts tested."""
    return commit_state(
        [
            TestedAttempt(
                one.id, one.run, one.workflow_id, one.event, one.head_sha, one.conclusion, one.started_at
            )
            for one in attempts
        ]
    )


def told_executions(session: Session, attempts: Sequence[StoredAttempt]) -> list[JobExecution]:
    """Standing jobs of the runs whose failures count for the commit that these attempts tested."""
    told = state_of(attempts).told
    return current_executions(session, [one for one in attempts if one.run in told])


def failure_lines(session: Session, executions: Sequence[JobExecution]) -> tuple[FailureLine, ...]:
    """Lines for the judged failures of these jobs; a failure not judged yet has none."""
    by_job = {one.job.id: one for one in executions}
    found = [
        failure
        for failure in failures.of_attempts(session, {one.attempt.id for one in executions})
        if failure.job in by_job
    ]
    judged = verdicts.latest(session, [failure.id for failure in found])
    tests = identities.by_key(session, {failure.test for failure in found if failure.test is not None})
    texts = blobs.texts(session, {failure.text_blob for failure in found if failure.id in judged})
    return tuple(
        FailureLine(
            test="" if failure.test is None else hide(tests[failure.test].label),
            title=hide(failure.title),
            excerpt=_excerpt(failure, texts[failure.text_blob]),
            verdict=judged[failure.id].verdict,
            seen=observe(by_job[failure.job], failure.outcome),
            group=failure.key,
            cluster=failure.cluster,
        )
        for failure in found
        if failure.id in judged
    )


def _excerpt(failure: StoredFailure, text: str) -> str:
    """Secrets go before the cut: half of one would not be recognised."""
    said = text if text.strip() else failure.message
    return hide(said[-2 * EXCERPT_CHARACTERS :])[-EXCERPT_CHARACTERS:]


def without_secrets(body: str) -> str:
    """A finished report without our own secrets; its last line is our marker, which has to stay as it is."""
    told, line, marker = body.rpartition("\n")
    return f"{hide(told)}{line}{marker}"
