"""What a report says of each failure, read from the store: the verdict, where it was seen, and its text."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy.orm import Session

from app.domain.commit_state import CommitState, TestedAttempt, commit_state, standing_jobs
from app.domain.failure_entry import FailureLine, WeakTest
from app.logs import hide
from app.store import blobs, failures, identities, lints, seen_jobs, verdicts
from app.store.failures import StoredFailure
from app.store.observations import observe
from app.store.run_values import JobExecution, StoredAttempt
from app.store.runs import JobRow, job_executions
from app.store.unproven import Red
from app.store.upsert import chunks

EXCERPT_CHARACTERS = 6000
"""The end of a failure's text is kept: the error stands there."""

AT_ONCE = 500
"""Jobs or failures that one statement asks for."""


def current_executions(session: Session, attempts: Iterable[StoredAttempt]) -> list[JobExecution]:
    """Of each job of each run, the execution that stands now, newest first."""
    found = seen_jobs.of_attempts(session, {one.id for one in attempts})
    return executions_of(session, standing_jobs(found))


def executions_of(session: Session, jobs: Collection[int]) -> list[JobExecution]:
    """The jobs with these keys of ours, those of the newest attempts first."""
    keys = sorted(jobs)
    found = [
        one
        for some in chunks(keys, AT_ONCE)
        for one in job_executions(session, JobRow.id.in_(some), limit=AT_ONCE)
    ]
    return sorted(found, key=lambda one: (one.attempt.started_at, one.job.id), reverse=True)


def state_of(attempts: Sequence[StoredAttempt]) -> CommitState:
    """The colour of the one commit that these attempts, with what their jobs bear out, tested."""
    return commit_state(tested(attempts))


def tested(attempts: Sequence[StoredAttempt]) -> list[TestedAttempt]:
    return [
        TestedAttempt(
            one.id, one.run, one.workflow_id, one.event, one.head_sha, one.conclusion, one.started_at
        )
        for one in attempts
    ]


def told_executions(session: Session, attempts: Sequence[StoredAttempt]) -> list[JobExecution]:
    """Standing jobs of the runs whose failures count for the commit that these attempts tested."""
    told = state_of(seen_jobs.borne_out(session, attempts)).told
    return current_executions(session, [one for one in attempts if one.run in told])


def red_lines(session: Session, reds: Sequence[Red]) -> tuple[FailureLine, ...]:
    """Lines for single failures, whatever else failed beside them."""
    found = failures.by_ids(session, {one.failure for one in reds})
    return lines_of(session, executions_of(session, {one.job for one in found}), found)


def failure_lines(session: Session, executions: Sequence[JobExecution]) -> tuple[FailureLine, ...]:
    """Lines for the judged failures of these jobs, all of them; a failure not judged yet has none."""
    return lines_of(session, executions, failures.of_jobs(session, {one.job.id for one in executions}))


def lines_of(
    session: Session, executions: Sequence[JobExecution], found: Sequence[StoredFailure]
) -> tuple[FailureLine, ...]:
    """Lines for those of the failures that are judged; their jobs are among the executions."""
    by_job = {one.job.id: one for one in executions}
    return tuple(line for some in chunks(found, AT_ONCE) for line in _lines_of_some(session, by_job, some))


def _lines_of_some(
    session: Session, by_job: dict[int, JobExecution], found: Sequence[StoredFailure]
) -> list[FailureLine]:
    judged = verdicts.latest(session, [failure.id for failure in found])
    tests = identities.by_key(session, {failure.test for failure in found if failure.test is not None})
    weak = lints.counts_of(session, judged)
    texts = blobs.texts(session, {failure.text_blob for failure in found if failure.id in judged})
    return [
        FailureLine(
            test="" if failure.test is None else hide(tests[failure.test].label),
            title=hide(failure.title),
            excerpt=_excerpt(failure, texts[failure.text_blob]),
            verdict=judged[failure.id].verdict,
            seen=observe(by_job[failure.job], failure.outcome),
            group=failure.key,
            cluster=failure.cluster,
            weak=_weak(failure.id, weak),
        )
        for failure in found
        if failure.id in judged
    ]


def _weak(failure: int, known: Mapping[int, tuple[str, int]]) -> WeakTest | None:
    return None if failure not in known else WeakTest(*known[failure], failure)


def _excerpt(failure: StoredFailure, text: str) -> str:
    """Secrets go before the cut: half of one would not be recognised."""
    said = text if text.strip() else failure.message
    return hide(said[-2 * EXCERPT_CHARACTERS :])[-EXCERPT_CHARACTERS:]


def without_secrets(body: str) -> str:
    """A finished report without our own secrets; its last line is our marker, which has to stay as it is."""
    told, line, marker = body.rpartition("\n")
    return f"{hide(told)}{line}{marker}"
