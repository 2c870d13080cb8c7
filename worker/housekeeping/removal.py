"""Removes what is past its time and needed by nobody, in transactions so short that no writer has to wait."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from app.store import out_of_sight, retention, retention_needed, retention_queue
from app.store.retention import OldAttempt, Place, Removed
from app.store.session import read_only, unit_of_work
from worker.housekeeping.horizon import Horizon

SHORTEST_REST_S = 0.01

DELIVERIES, ORDERS, TASKS = "deliveries", "orders", "tasks"


Step = Literal["attempts", "texts"]
"""Attempts go whole first, then texts and files of those that are younger."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a removal got: at which step, and the last attempt that it was done with.

    Attempts that stay are then looked at once a day, not once in each task.
    """

    step: Step = "attempts"
    after: Place | None = None


class Removal:
    """Safe to stop at any point and to begin again: what went is gone, and the rest is found again.

    `rest` is called with seconds after each transaction: as long as it took, so that others get their turn.
    """

    def __init__(
        self,
        store: Engine,
        inbox: Engine,
        horizon: Horizon,
        *,
        reached: Reached | None = None,
        rest: Callable[[float], object] = time.sleep,
    ) -> None:
        self._store, self._inbox, self._horizon, self._rest = store, inbox, horizon, rest
        self._reached = reached or Reached()

    def run(self, *, chunks: int | None = None) -> tuple[Removed, Reached | None]:
        """Work through at most so many transactions; return what went, and how far it got; None: to the end.

        A look at the next attempts counts as one, so those that all stay take no longer either.
        """
        removed = Removed()
        began_s, done = time.perf_counter(), 0
        for part in islice(self._chunks(), chunks):
            removed.add(part)
            done += 1
            self._rest(max(SHORTEST_REST_S, time.perf_counter() - began_s))
            began_s = time.perf_counter()
        return removed, None if chunks is None or done < chunks else self._reached

    def would_go(self) -> Removed:
        """What `run` would remove now, but for orders and blobs, which others may share; writes nothing."""
        horizon, told = self._horizon, Removed()
        with read_only(self._inbox) as session:
            told.rows[DELIVERIES] = retention_queue.count_deliveries(session, before=horizon.deliveries)
        with read_only(self._store) as session:
            told.rows[TASKS] = retention_queue.count_tasks(
                session, done_before=horizon.tasks, dead_before=horizon.deliveries
            )
        gone: set[int] = set()
        for _, going in self._pages("attempts"):
            gone.update(one.id for one in going)
            with read_only(self._store) as session:
                told.add(retention.count(session, [one.id for one in going], whole=True))
        for _, losing in self._pages("texts"):
            with read_only(self._store) as session:
                left = [one.id for one in losing if one.id not in gone]
                told.add(retention.count(session, left, whole=False))
        return told

    def _chunks(self) -> Iterator[Removed]:
        yield from self._remove_deliveries()
        yield from self._remove_tasks()
        yield from self._remove_orders()
        if self._reached.step == "attempts":
            yield from self._remove_from("attempts", self._remove_attempt)
            self._reached = Reached("texts")
        yield from self._remove_from("texts", self._remove_raw)

    def _remove_from(
        self, step: Step, remove: Callable[[OldAttempt], Iterator[Removed]]
    ) -> Iterator[Removed]:
        for page, going in self._pages(step):
            for attempt in going:
                yield from remove(attempt)
            self._reached = Reached(step, page[-1].place)
            yield Removed()

    def _pages(self, step: Step) -> Iterator[tuple[Sequence[OldAttempt], Sequence[OldAttempt]]]:
        """Old attempts from where the last removal got to, some at a time, and those of them that go."""
        after = self._reached.after if self._reached.step == step else None
        while True:
            with read_only(self._store) as session:
                if step == "attempts":
                    page = retention.old_attempts(session, before=self._horizon.failures, after=after)
                    going = self._going(session, page)
                else:
                    page = retention.old_texts(session, before=self._horizon.raw, after=after)
                    going = _unneeded(page, retention_needed.told_of(session, page))
            if not page:
                return
            yield page, going
            after = page[-1].place

    def _remove_deliveries(self) -> Iterator[Removed]:
        before = self._horizon.deliveries
        while True:
            with read_only(self._inbox) as session:
                guids = retention_queue.old_deliveries(session, before=before)
            if not guids:
                return
            with unit_of_work(self._inbox) as session:
                count = retention_queue.remove_deliveries(session, guids, before=before)
            yield _rows(DELIVERIES, count)

    def _remove_tasks(self) -> Iterator[Removed]:
        horizon = self._horizon
        while True:
            with unit_of_work(self._store) as session:
                count = retention_queue.remove_some_tasks(
                    session, done_before=horizon.tasks, dead_before=horizon.deliveries
                )
            if not count:
                return
            yield _rows(TASKS, count)

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
            yield _rows(ORDERS, count)

    def _going(self, session: Session, page: Sequence[OldAttempt]) -> Sequence[OldAttempt]:
        """Those that go whole: no attempt that stays for its own sake has evidence that names their runs."""
        going = self._ending(session, page)
        names = retention_needed.named_by(session, going)
        naming = retention.old_among(session, names, before=self._horizon.failures)
        ending = {one.id for one in self._ending(session, naming)}
        needed = {key for attempt, named in names.items() if attempt not in ending for key in named}
        return _unneeded(going, needed)

    def _ending(self, session: Session, old: Sequence[OldAttempt]) -> Sequence[OldAttempt]:
        """Those that nobody needs for their own sake."""
        return _unneeded(old, retention_needed.told_of(session, old) | retention.newest_keys(session))

    def _remove_attempt(self, attempt: OldAttempt) -> Iterator[Removed]:
        yield from self._until_none(lambda session: retention.remove_some_failures(session, attempt.id))
        yield from self._until_none(lambda session: retention.remove_some_files(session, attempt.id))
        with unit_of_work(self._store) as session:
            removed = retention.remove_attempt(session, attempt)
            out_of_sight.note_removed(session, attempt.repo, recorded_at=attempt.recorded_at)
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


def _unneeded(old: Sequence[OldAttempt], needed: Collection[int]) -> Sequence[OldAttempt]:
    return [one for one in old if one.id not in needed]


def _rows(table: str, count: int) -> Removed:
    return Removed(Counter({table: count}))
