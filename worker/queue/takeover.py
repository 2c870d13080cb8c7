"""Takes over what dead workers had, and what a living one lost: each claim is put back to its queue."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.store import workers
from app.store.session import read_only, unit_of_work
from worker.queue.lease import LeasePolicy, OwnLease, awake_s
from worker.queue.retry import describe

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Claim:
    """A try that an executor took from its queue and has not ended."""

    name: str
    queue: str
    executor: str


class Queue(Protocol):
    def claims(self) -> Sequence[Claim]: ...

    def put_back(self, claims: Sequence[Claim]) -> None:
        """Have any worker take these again. What has ended meanwhile stays ended."""

    def runs(self, name: str) -> bool:
        """Whether a thread of this process is at the try."""


class Takeover:
    """Looks once a beat. `leads` says whether this worker is the one that may end other workers' leases."""

    def __init__(
        self,
        lease: OwnLease,
        queue: Queue,
        policy: LeasePolicy,
        *,
        leads: Callable[[], bool],
        read_s: Callable[[], float] = awake_s,
    ) -> None:
        self._lease = lease
        self._queue = queue
        self._policy = policy
        self._leads = leads
        self._read_s = read_s
        self._strays: dict[str, float] = {}

    def run(self, stop: threading.Event) -> None:
        while not stop.wait(self._policy.beat_s):
            try:
                self.look()
            except SQLAlchemyError as error:
                log.warning("takeover cannot use the database", error=describe(error))
            except Exception:
                log.exception(
                    "takeover failed and is tried again"
                )  # without it dead workers' tasks would wait

    def look(self) -> None:
        """Safe to repeat, and to die in: what had an ended lease has none, and is found the next time."""
        leads = self._leads()
        if leads:
            self._end_leases()
        claims = self._queue.claims()
        if leads:
            self._take_over(claims)
        self._take_back([one for one in claims if one.executor == self._lease.worker.executor])

    def _end_leases(self) -> None:
        with unit_of_work(self._lease.engine) as session:
            ended = workers.expire(session, after_s=self._policy.expires_s)
        for one in ended:
            told = {"executor": one.worker.executor, "host": one.worker.host, "pid": one.worker.pid}
            log.warning("worker has not been heard of and counts as dead", silent_s=round(one.age_s), **told)

    def _take_over(self, claims: Sequence[Claim]) -> None:
        """Leases are read after the claims: a worker has the one before the other, so it is not missed."""
        with read_only(self._lease.engine) as session:
            living = {one.worker.executor for one in workers.leases(session)}
        orphans = [one for one in claims if one.executor not in living]
        if orphans:
            self._queue.put_back(orphans)
            dead = sorted({one.executor for one in orphans})
            log.warning("tasks of dead workers are taken over", executors=dead, tasks=len(orphans))

    def _take_back(self, own: Sequence[Claim]) -> None:
        """A claim whose answer was lost with its connection is run by nobody, as is a try whose end could
        not be noted: after a while either is put back, and a try that has ended does nothing.
        """
        now_s = self._read_s()
        idle = [one for one in own if not self._queue.runs(one.name)]
        self._strays = {one.name: self._strays.get(one.name, now_s) for one in idle}
        lost = [one for one in idle if now_s - self._strays[one.name] >= self._policy.expires_s]
        if lost:
            self._queue.put_back(lost)
            log.warning("tasks that no thread runs are put back", tasks=[one.name for one in lost])
