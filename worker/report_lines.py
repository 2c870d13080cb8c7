"""What a report says of each failure, read from the store: the verdict, where it was seen, and its text."""

from collections.abc import Iterable, Sequence

from sqlalchemy.orm import Session

from app.domain.failure_entry import FailureLine
from app.domain.run import Conclusion
from app.store import blobs, failures, identities, verdicts
from app.store.failures import StoredFailure
from app.store.observations import observe
from app.store.runs import JobExecution, JobRow, StoredAttempt, job_executions

EXCERPT_CHARACTERS = 6000
"""The end of a failure's text is kept: the error stands there."""


def current_executions(session: Session, attempts: Iterable[StoredAttempt]) -> list[JobExecution]:
    """Of each job of each run, the newest attempt that has it.

    A partial re-run lists only the jobs it repeated, so the others still stand as they were.
    """
    keys = [one.id for one in attempts]
    found = job_executions(session, JobRow.attempt_id.in_(keys), limit=5000) if keys else []
    newest: dict[tuple[int, str], int] = {}
    for one in found:
        job = (one.attempt.run, one.job.name)
        newest[job] = max(newest.get(job, 0), one.attempt.attempt)
    return [one for one in found if one.attempt.attempt == newest[(one.attempt.run, one.job.name)]]


def red_executions(session: Session, attempts: Sequence[StoredAttempt]) -> list[JobExecution]:
    """Current jobs of runs whose newest attempt did not succeed: what may hold a failure that counts."""
    newest = {one.run: one for one in sorted(attempts, key=lambda one: one.attempt)}
    red = {run for run, one in newest.items() if one.conclusion is not Conclusion.SUCCESS}
    return [one for one in current_executions(session, attempts) if one.attempt.run in red]


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
            test="" if failure.test is None else tests[failure.test].label,
            title=failure.title,
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
    return text[-EXCERPT_CHARACTERS:] if text.strip() else failure.message
