"""Every few seconds, beside the tasks: note what only a worker sees, move totals on, order removals."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from app.store import measures, totals
from app.store.outbox import ask
from app.store.session import read_only, unit_of_work
from worker.deps import Deps
from worker.housekeeping.horizon import Horizon
from worker.housekeeping.orders import removal_order

EVERY_S = 10.0

FIRST_REMOVAL_AFTER = timedelta(minutes=5)
"""A worker that has just begun has work that somebody waits for."""

TOTALS_EVERY = timedelta(minutes=5)

FORGET_EVERY = timedelta(hours=1)


class Upkeep:
    """Several workers may each have one: what must happen once is keyed.

    `forget_ended` has the queue remove its records of tasks that ended before then, a bounded number of
    them, and returns how many those were.
    """

    def __init__(
        self, deps: Deps, *, forget_ended: Callable[[datetime], int], every_s: float = EVERY_S
    ) -> None:
        self._deps = deps
        self._forget_ended = forget_ended
        self._every_s = every_s
        self._began_at = self._forget_again_at = deps.clock.now()
        self._noted_budget_at: datetime | None = None
        self._ordered_day = ""

    def run(self, stop: threading.Event) -> None:
        """Until `stop` is set, or something is raised; whoever begins it anew loses nothing."""
        while not stop.wait(self._every_s):
            self.turn()

    def turn(self) -> None:
        """Whatever is due now."""
        now = self._deps.clock.now()
        self._note_budget()
        self._advance_totals(now)
        if now >= self._began_at + FIRST_REMOVAL_AFTER:
            self._order_removal(now)
            self._forget(now)

    def _forget(self, now: datetime) -> None:
        if now < self._forget_again_at:
            return
        horizon = Horizon.seen_from(now, self._deps.settings)
        if not self._forget_ended(horizon.tasks):
            self._forget_again_at = now + FORGET_EVERY

    def _note_budget(self) -> None:
        budget = self._deps.github.budget()
        if budget is None or budget.seen_at == self._noted_budget_at:
            return
        with unit_of_work(self._deps.store) as session:
            for name, value in (
                (measures.GITHUB_LIMIT, budget.limit),
                (measures.GITHUB_REMAINING, budget.remaining),
                (measures.GITHUB_RESET, round(budget.resets_at.timestamp())),
            ):
                measures.note(session, name, {"": value}, at=budget.seen_at)
        self._noted_budget_at = budget.seen_at

    def _advance_totals(self, now: datetime) -> None:
        with read_only(self._deps.store) as session:
            known = measures.one(session, totals.MARK)
        if known is None:
            with unit_of_work(self._deps.store) as session:
                totals.begin(session, now=self._began_at)  # what this worker has done by now counts
            return
        end = now - totals.SETTLED
        if end < known.at + TOTALS_EVERY:
            return
        with read_only(self._deps.inbox) as session:
            received = totals.received(session, known.at, end)
        with unit_of_work(self._deps.store) as session:
            totals.advance(session, received, start=known.at, end=end)

    def _order_removal(self, now: datetime) -> None:
        day = now.date().isoformat()
        if day == self._ordered_day:
            return
        with unit_of_work(self._deps.store) as session:
            ask(session, removal_order(day))
        self._ordered_day = day
