"""Which failures an attempt throws light on: its own, and those that share code or a group with it."""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import timedelta

from sqlalchemy.orm import Session

from app.domain.policy import VerdictPolicy
from app.store import failure_places, failures, runs
from app.store.failure_places import Place
from app.store.failures import StoredFailure
from app.store.observations import Observations
from app.store.run_values import StoredAttempt
from worker.weighing.read_late import failures_after

HEADS_OF_A_GROUP = 5
"""Newest heads of a group whose failures are judged again when it is seen once more: more than any rule
counts, such as three commits of main in a row. An older head has had as many recurrences to be judged by, and
a test that fails in every run must not be judged for all its past each time.
"""
ROWS_OF_A_GROUP = 200
"""Failures among these: heads are counted, so that attempts and variants of one head never part, and many
attempts of few heads are bounded all the same.
"""
AT_A_HEAD = 5
"""Newest failures of one test, variant and event that are judged again where all that is new is one more of
them. No rule counts further than five on one tree, so older ones hold that verdict already. Other news, as a
pass or a failure at another head, is for all, or attempts of one run would be told opposite things.
"""
JUDGED_AGAIN = 1000
"""Failures beside the attempt's own; the newest of each test go first, so that every test keeps one."""


def affected_failures(
    session: Session, attempt: StoredAttempt, policy: VerdictPolicy, *, is_news: bool = True
) -> list[StoredFailure]:
    """Failures to judge after this attempt, oldest first, each once and each signed. `is_news`: it was read
    just now.

    Its own; those at the same head or on the same tree, which its passes may prove flaky; and those at the
    newest heads of every group among these, for which they are a recurrence; and those that were judged
    before an attempt from their past was read. Of a test that failed in this attempt once more, only the
    newest at this head are judged again. What rests on removed results keeps its verdict.
    """
    own = {one.id: one for one in failures.of_attempt(session, attempt.id)}
    failed_again = {_kind(place) for place in failure_places.of_failures(session, own)}
    beside = newest_of_each(failure_places.in_attempts(session, _on_the_same(session, attempt)), failed_again)
    found = own.keys() | set(beside)
    since = attempt.started_at - timedelta(days=policy.window_days)
    for group in sorted(failure_places.groups_of(session, found)):
        found |= set(
            failure_places.of_newest_heads(
                session, group, since=since, heads=HEADS_OF_A_GROUP, rows=ROWS_OF_A_GROUP
            )
        )
    if is_news:
        found |= {place.failure for place in failures_after(session, attempt, policy)}
    places = failure_places.of_failures(session, found - own.keys())
    again = failures.by_ids(session, newest_of_each(places, failed_again))
    signed = [one for one in (*own.values(), *again) if one.is_signed]
    return sorted(signed, key=lambda one: (one.failed_at, one.id))


def _on_the_same(session: Session, attempt: StoredAttempt) -> set[int]:
    """Other attempts at the same head or on the same tree."""
    same = {one.id for one in runs.attempts_at(session, attempt.repo, attempt.head_sha)}
    trees = {job.tested.tree for job in runs.jobs_of(session, attempt.id) if job.tested.tree is not None}
    if trees:
        alike = Observations(session).on_trees(attempt.repo, trees, not_at=attempt.head_sha)
        same |= {execution.attempt.id for execution in alike}
    return same - {attempt.id}


Kind = tuple[str, int, int]
"""Head, test and variant."""


def newest_of_each(places: Iterable[Place], failed_again: Collection[Kind]) -> list[int]:
    """Keys of the failures to judge again: at most AT_A_HEAD an event of those kinds, JUDGED_AGAIN in all."""
    counts: Counter[tuple[Kind, str]] = Counter()
    ranked: list[tuple[int, int]] = []
    for place in sorted(places, key=lambda one: (one.at, one.failure), reverse=True):
        kind = _kind(place)
        counts[kind, place.event] += 1
        rank = counts[kind, place.event]
        if rank <= AT_A_HEAD or kind not in failed_again:
            ranked.append((rank, place.failure))
    return [failure for _, failure in sorted(ranked, key=lambda one: (one[0], -one[1]))[:JUDGED_AGAIN]]


def _kind(place: Place) -> Kind:
    return place.head, place.test, place.variant
