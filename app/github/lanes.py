"""What we may do at GitHub right now, for each account that pays: shared by all threads of a process.

GitHub's secondary limits cannot be asked for. So writes go one at a time and no faster than documented, and
once GitHub named a wait, nobody runs into the same wall again.
"""

import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

from app.clock import Clock
from app.domain.errors import Unavailable
from app.github.limits import WRITES, RateBudget, budget_in, write_wait_s


class Lane:
    """One payer's. A write waits here for the answer to the one before it. For GitHub's limits nobody waits
    here: who would have to is told how long, and the task queue waits.
    """

    def __init__(self, clock: Clock) -> None:
        self.budget: RateBudget | None = None
        self._clock = clock
        self._closed_until: datetime | None = None
        self._closing = threading.Lock()
        self._writing = threading.Lock()
        self._written_at: deque[datetime] = deque(maxlen=max(WRITES))

    def require_open(self, subject: str) -> None:
        """Raise Unavailable while a wait that GitHub named is not over."""
        until = self._closed_until
        left_s = 0.0 if until is None else (until - self._clock.now()).total_seconds()
        if left_s > 0:
            reason = f"GitHub asked us to send nothing until {until:%H:%M:%S} UTC"
            raise Unavailable(subject, reason, retry_after_s=left_s)

    @contextmanager
    def writing(self, subject: str) -> Iterator[None]:
        """Hold the only turn to write; raises Unavailable where it would be one write too many."""
        with self._writing:
            self.require_open(subject)
            wait_s = write_wait_s(tuple(self._written_at), now=self._clock.now())
            if wait_s > 0:
                raise Unavailable(
                    subject, "more writes now would exceed GitHub's limits", retry_after_s=wait_s
                )
            self._written_at.append(self._clock.now())
            yield

    def note(self, headers: Mapping[str, str]) -> None:
        """Remember what an answer says of the budget; the newest of the hour counts."""
        seen = budget_in(headers, now=self._clock.now())
        if seen is not None:
            self.budget = seen

    def close(self, seconds: float) -> None:
        """GitHub named a wait; of several the longest counts."""
        until = self._clock.now() + timedelta(seconds=seconds)
        with self._closing:
            self._closed_until = until if self._closed_until is None else max(until, self._closed_until)


class Lanes:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._by_payer: dict[str, Lane] = {}
        self._lock = threading.Lock()

    def of(self, payer: str) -> Lane:
        with self._lock:
            return self._by_payer.setdefault(payer, Lane(self._clock))

    def scarcest(self) -> RateBudget | None:
        """Of the budgets whose hour is not over, the one with the smallest share left."""
        now = self._clock.now()
        with self._lock:
            known = [lane.budget for lane in self._by_payer.values()]
        seen = [budget for budget in known if budget is not None and now < budget.resets_at]
        return min(seen, key=lambda budget: budget.share, default=None)
