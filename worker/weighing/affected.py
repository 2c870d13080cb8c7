"""Which failures an attempt throws light on: its own, and those that share code or a group with it."""

from datetime import timedelta

from sqlalchemy.orm import Session

from app.domain.policy import VerdictPolicy
from app.store import failures, runs
from app.store.failures import StoredFailure
from app.store.observations import Observations
from app.store.runs import StoredAttempt

HEADS_OF_A_GROUP = 10
"""Newest heads of a group whose failures are judged again when it is seen once more. An older one has had as
many recurrences to be judged by, and a test that fails in every run must not be judged for all its past.
"""
ROWS_OF_A_GROUP = 200
"""Failures among these: heads are counted, so that attempts and variants of one head never part, and many
attempts of few heads are bounded all the same.
"""


def affected_failures(session: Session, attempt: StoredAttempt, policy: VerdictPolicy) -> list[StoredFailure]:
    """Failures to judge after this attempt, oldest first, each once and each signed.

    Its own; those at the same head or on the same tree, which its passes may prove flaky; and those at the
    newest heads of every group among these, for which they are a recurrence.
    """
    found = {one.id: one for one in failures.of_attempt(session, attempt.id)}
    same_head = {one.id for one in runs.attempts_at(session, attempt.repo, attempt.head_sha)}
    trees = {job.tested.tree for job in runs.jobs_of(session, attempt.id) if job.tested.tree is not None}
    if trees:
        alike = Observations(session).on_trees(attempt.repo, trees, not_at=attempt.head_sha)
        same_head |= {execution.attempt.id for execution in alike}
    for one in failures.of_attempts(session, same_head - {attempt.id}):
        found[one.id] = one
    since = attempt.started_at - timedelta(days=policy.window_days)
    for group in sorted({one.group for one in found.values() if one.group is not None}):
        for one in failures.of_newest_heads(
            session, group, since=since, heads=HEADS_OF_A_GROUP, rows=ROWS_OF_A_GROUP
        ):
            found[one.id] = one
    signed = [one for one in found.values() if one.is_signed]
    return sorted(signed, key=lambda one: (one.failed_at, one.id))
