"""Removes what is past its time and needed by nobody, in transactions so short that no writer has to wait."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from app.store import retention, retention_needed, retention_queue
from app.store.retention import OldAttempt, Removed
from app.store.session import read_only, unit_of_work
from worker.housekeeping.horizon import Horizon

SHORTEST_REST_S = 0.01

DELIVERIES, ORDERS, TASKS, ATTEMPTS, RAW = "deliveries", "orders", "tasks", "attempts", "raw"


class Removal:
    """Safe to stop at any point and to begin again: what went is gone, and the rest is found again.

    `rest` is called with seconds after each transaction: as long as it took, so that others get their turn.
    """

    def __init__(
        self, store: Engine, inbox: Engine, horizon: Horizon, *, rest: Callable[[float], object] = time.sleep
    ) -> None:
        self._store, self._inbox, self._horizon, self._rest = store, inbox, horizon, rest

    def run(self, *, chunks: int | None = None) -> tuple[Removed, bool]:
        """Work through at most so many transactions; return what went, and whether that was all."""
        removed: Removed = Counter()
        began_s, done = time.perf_counter(), 0
        for part in islice(self._chunks(), chunks):
            removed += part
            done += 1
            self._rest(max(SHORTEST_REST_S, time.perf_counter() - began_s))
            began_s = time.perf_counter()
        return removed, chunks is None or done < chunks

    def would_go(self) -> Removed:
        """How much `run` would remove now; writes nothing."""
        horizon = self._horizon
        with read_only(self._inbox) as session:
            deliveries = retention_queue.count_deliveries(session, before=horizon.deliveries)
        with read_only(self._store) as session:
            tasks = retention_queue.count_tasks(
                session, done_before=horizon.tasks, dead_before=horizon.deliveries
            )
            going, raw = self._going(session), self._raw(session)
        gone = {one.id for one in going}
        raw_only = sum(1 for one in raw if one.id not in gone)
        return Counter({DELIVERIES: deliveries, TASKS: tasks, ATTEMPTS: len(going), RAW: raw_only})

    def _chunks(self) -> Iterator[Removed]:
        yield from self._remove_deliveries()
        yield from self._remove_tasks()
        yield from self._remove_orders()
        with read_only(self._store) as session:
            going = self._going(session)
        for attempt in going:
            yield from self._remove_attempt(attempt)
        with read_only(self._store) as session:
            raw = self._raw(session)
        for attempt in raw:
            yield from self._remove_raw(attempt)

    def _remove_deliveries(self) -> Iterator[Removed]:
        before = self._horizon.deliveries
        while True:
            with read_only(self._inbox) as session:
                guids = retention_queue.old_deliveries(session, before=before)
            if not guids:
                return
            with unit_of_work(self._inbox) as session:
                count = retention_queue.remove_deliveries(session, guids, before=before)
            yield Counter({DELIVERIES: count})

    def _remove_tasks(self) -> Iterator[Removed]:
        horizon = self._horizon
        while True:
            with unit_of_work(self._store) as session:
                count = retention_queue.remove_some_tasks(
                    session, done_before=horizon.tasks, dead_before=horizon.deliveries
                )
            if not count:
                return
            yield Counter({TASKS: count})

    def _remove_orders(self) -> Iterator[Removed]:
        before, last = self._horizon.tasks, 0
        while True:
            with read_only(self._store) as session:
                orders, next_key = retention_queue.old_orders(session, before=before, after=last)
            if next_key is None:
                return
            last = next_key
            with unit_of_work(self._store) as session:
                count = retention_queue.remove_orders(session, orders, before=before)
            yield Counter({ORDERS: count})

    def _going(self, session: Session) -> Sequence[OldAttempt]:
        """Attempts that go whole."""
        old = retention.old_attempts(session, before=self._horizon.failures)
        kept = retention_needed.told_of(session, old) | retention.newest_keys(session)
        going = [one for one in old if one.id not in kept]
        needed = retention_needed.evidence_for_others(session, going)
        return [one for one in going if one.id not in needed]

    def _raw(self, session: Session) -> Sequence[OldAttempt]:
        """Attempts of which texts, files and single results go."""
        old = retention.old_texts(session, before=self._horizon.raw)
        kept = retention_needed.told_of(session, old)
        return [one for one in old if one.id not in kept]

    def _remove_attempt(self, attempt: OldAttempt) -> Iterator[Removed]:
        yield from self._until_none(lambda session: retention.remove_some_failures(session, attempt.id))
        yield from self._until_none(lambda session: retention.remove_some_files(session, attempt.id))
        with unit_of_work(self._store) as session:
            removed = retention.remove_attempt(session, attempt)
        yield removed

    def _remove_raw(self, attempt: OldAttempt) -> Iterator[Removed]:
        yield from self._until_none(lambda session: retention.remove_some_texts(session, attempt.id))
        yield from self._until_none(lambda session: retention.remove_some_files(session, attempt.id))
        with unit_of_work(self._store) as session:
            removed = retention.remove_vectors(session, attempt.id, at=self._horizon.now)
        yield removed

    def _until_none(self, remove: Callable[[Session], Removed]) -> Iterator[Removed]:
        while True:
            with unit_of_work(self._store) as session:
                removed = remove(session)
            if not removed:
                return
            yield removed
