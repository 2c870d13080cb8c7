"""A worker's own lease: renewed while it lives, and the worker ends itself before others may take over."""

import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.store import workers
from app.store.session import open_engine, unit_of_work
from app.store.workers import Worker
from worker.queue.retry import describe

STOP_WAIT_S = 2.0
"""How long a thread of the lease is waited for: it may be waiting for a database that is away."""

LEASE_LOST = 75
"""Exit code: a temporary failure (EX_TEMPFAIL); whoever started the worker starts it again."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LeasePolicy:
    """Times in seconds, each well below the next: whoever has ended itself is never overtaken at work."""

    beat_s: float = 5
    """How often a lease is renewed, and how often the leader looks for those that are not."""
    stale_s: float = 20
    """A worker that could not renew its lease for so long ends itself."""
    expires_s: float = 30
    """A lease that was not renewed for so long is ended, and what its worker had is taken over."""

    def __post_init__(self) -> None:
        if not 0 < self.beat_s < self.stale_s < self.expires_s:
            raise ValueError(f"a lease is renewed before it is stale, and stale before it expires: {self}")


USUAL_LEASE = LeasePolicy()


def leave_at_once(reason: str) -> None:
    """End the process, whatever its threads are at: none of them may write any more."""
    log.error("worker ends itself", reason=reason)
    sys.stderr.flush()
    os._exit(LEASE_LOST)


def awake_s() -> float:
    """A clock that no one sets. Where there is such a one, it goes on while the machine is suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class OwnLease:
    """Renewed by a thread with a connection of its own, watched by another one, which waits for nobody.

    With `can_be_lost=False` the row only tells people that the worker lives: nobody else could take over.
    `end` is called with the reason when the lease is lost, and should not return.
    """

    def __init__(
        self,
        url: str,
        worker: Worker,
        policy: LeasePolicy,
        *,
        can_be_lost: bool,
        end: Callable[[str], None] = leave_at_once,
        read_s: Callable[[], float] = awake_s,
    ) -> None:
        self.engine = open_engine(url, lock="at first write", before_write=self.require)
        """For the table of workers: its writers wait for nobody who writes other tables."""
        self.worker = worker
        self._policy = policy
        self._can_be_lost = can_be_lost
        self._end = end
        self._read_s = read_s
        self._renewed_s = read_s()
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._beat, name="lease", daemon=True)]
        if can_be_lost:
            self._threads.append(threading.Thread(target=self._watch, name="lease-watch", daemon=True))

    def require(self) -> None:
        """Return if nobody can have taken over what this worker runs; end the process otherwise.

        For a process that was frozen this comes before its first write, whichever thread wakes first.
        """
        silent_s = self._read_s() - self._renewed_s
        if self._can_be_lost and silent_s > self._policy.stale_s:
            self._end(f"its lease could not be renewed for {silent_s:.1f} s")

    def start(self) -> None:
        """Begin the lease: from now on others know that this worker lives."""
        self._register()
        for thread in self._threads:
            thread.start()

    def stop(self, *, is_idle: bool) -> None:
        """Renew no more. A worker that runs nothing (`is_idle`) leaves no lease behind to wait for."""
        self._stop.set()
        for thread in self._threads:
            thread.join(STOP_WAIT_S)
        if is_idle:
            self._leave()
        self.engine.dispose()

    def _leave(self) -> None:
        try:
            with unit_of_work(self.engine) as session:
                workers.leave(session, self.worker.executor)
        except SQLAlchemyError as error:
            log.warning("lease cannot be ended and runs out by itself", error=describe(error))

    def renew(self) -> None:
        """Raises SQLAlchemyError if the database cannot be used; the lease then ages."""
        asked_s = self._read_s()
        with unit_of_work(self.engine) as session:
            is_ours = workers.renew(session, self.worker.executor)
        if is_ours:
            self._renewed_s = asked_s
        elif self._can_be_lost:
            self._end("its lease had run out, and its tasks were taken over")
        else:
            self._register()

    def _register(self) -> None:
        asked_s = self._read_s()
        with unit_of_work(self.engine) as session:
            workers.leave(session, self.worker.executor)  # where names repeat, its holder is known to be dead
            workers.register(session, self.worker)
        self._renewed_s = asked_s

    def _beat(self) -> None:
        while not self._stop.wait(self._policy.beat_s):
            try:
                self.renew()
            except SQLAlchemyError as error:
                log.warning("lease cannot be renewed", error=describe(error))

    def _watch(self) -> None:
        while not self._stop.wait(self._policy.beat_s):
            self.require()
