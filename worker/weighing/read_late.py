"""Failures that were judged before an attempt from their past was read: what it says of the base is news."""

from datetime import timedelta

from sqlalchemy.orm import Session

from app.domain.outcome import OutcomeKind
from app.domain.policy import VerdictPolicy
from app.domain.run import TESTS_THE_PUSHED_COMMIT
from app.store import failure_places, results, runs
from app.store.failure_places import Place
from app.store.run_values import JobExecution, StoredAttempt
from worker.weighing.subject import ran_to_its_end

LATER = 5000
"""Newest later failures that are looked at; which of them are judged again is chosen from these."""


def failures_after(session: Session, attempt: StoredAttempt, policy: VerdictPolicy) -> list[Place]:
    """Failures that began after this attempt of a branch, of what it has a result of, that it may speak on.

    It speaks on those whose head first ran within the window after it, for which it is part of the base's
    past, and on those of its own branch on both sides, for which it is part of a streak. Read in order, an
    attempt has none, which one look at an index tells.
    """
    if attempt.head_branch is None or attempt.event not in TESTS_THE_PUSHED_COMMIT:
        return []
    later = failure_places.later_than(session, attempt.repo, attempt.started_at, limit=LATER)
    if not later:
        return []
    results_of = _Results(session, attempt)
    told = [one for one in later if results_of.tells_of(one)]
    if not told:
        return []
    window = timedelta(days=policy.window_days)
    began = failure_places.first_runs(session, attempt.repo, {one.head for one in told})
    past = [one for one in told if began[one.head] - window <= attempt.started_at]
    tests = {one.test for one in told}
    beside = failure_places.on_branch(
        session,
        attempt.repo,
        attempt.head_branch,
        since=attempt.started_at - window,
        until=attempt.started_at + window,
        limit=LATER,
    )
    return [*past, *(one for one in beside if one.test in tests and results_of.tells_of(one))]


class _Results:
    """What one attempt has a result of: tests that ran, and jobs that ended, by variant."""

    def __init__(self, session: Session, attempt: StoredAttempt) -> None:
        jobs = [
            job for job in runs.jobs_of(session, attempt.id) if ran_to_its_end(JobExecution(job, attempt))
        ]
        vectors = results.vectors(session, [job.id for job in jobs])
        self._ended = {job.variant_id for job in jobs}
        self._vectors = [(job.variant_id, vectors[job.id]) for job in jobs if job.id in vectors]

    def tells_of(self, place: Place) -> bool:
        if not place.test:
            return place.variant in self._ended
        outcomes = (
            vector.outcome_of(place.test) for variant, vector in self._vectors if variant == place.variant
        )
        return any(one is not None and one is not OutcomeKind.SKIPPED for one in outcomes)
