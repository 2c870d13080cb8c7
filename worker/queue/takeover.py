"""Takes over what dead workers had, and what a living one lost: each claim is put back to its queue."""

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog

from app.store import tasks, workers
from app.store.session import read_only, unit_of_work
from worker.queue.lease import LeasePolicy, OwnLease, awake_s

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Claim:
    """A try that an executor took from its queue and has not ended."""

    name: str
    queue: str
    executor: str


def try_name(key: str, number: int) -> str:
    """What the queue calls the try for order `number` of the task `key`."""
    return f"{key}#{number}"


class Queue(Protocol):
    def claims(self) -> Sequence[Claim]: ...

    def put_back(self, claims: Sequence[Claim]) -> None:
        """Have any worker take these again. What has ended meanwhile stays ended."""

    def runs(self, name: str) -> bool:
        """Whether a thread of this process is at the try."""


class Idle:
    """Since when, by one clock, each of some names has been found idle at every look."""

    def __init__(self, *, for_s: float, read_s: Callable[[], float]) -> None:
        self._for_s = for_s
        self._read_s = read_s
        self._since_s: dict[str, float] = {}

    def long(self, names: Collection[str]) -> set[str]:
        """Those of all that are idle now which have been so for long; they then count anew."""
        now_s = self._read_s()
        since_s = {name: self._since_s.get(name, now_s) for name in names}
        found = {name for name, then_s in since_s.items() if now_s - then_s >= self._for_s}
        self._since_s = {name: then_s for name, then_s in since_s.items() if name not in found}
        return found


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
        self._idle_claims = Idle(for_s=policy.expires_s, read_s=read_s)
        self._idle_tries = Idle(for_s=policy.expires_s, read_s=read_s)

    def run(self, stop: threading.Event) -> None:
        while not stop.wait(self._policy.beat_s):
            self.look()

    def look(self) -> None:
        """Safe to repeat, and to die in: what had an ended lease has none, and is found the next time."""
        leads = self._leads()
        if leads:
            self._end_leases()
        claims = self._queue.claims()
        if leads:
            self._take_over(claims)
        self._take_back([one for one in claims if one.executor == self._lease.worker.executor])
        self._order_lost()

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
        # Asked again: whoever leads meanwhile may have put them back, and a living worker may have them now.
        if orphans and self._leads():
            self._queue.put_back(orphans)
            dead = sorted({one.executor for one in orphans})
            log.warning("tasks of dead workers are taken over", executors=dead, tasks=len(orphans))

    def _take_back(self, own: Sequence[Claim]) -> None:
        """A claim whose answer was lost with its connection is run by nobody, as is a try whose end could
        not be noted: after a while either is put back, and a try that has ended does nothing.
        """
        names = self._idle_claims.long([one.name for one in own if not self._queue.runs(one.name)])
        if names:
            self._queue.put_back([one for one in own if one.name in names])
            log.warning("tasks that no thread runs are put back", tasks=sorted(names))

    def _order_lost(self) -> None:
        """A try that met an error of ours, not of its stage, has ended in the queue and still runs in the
        store: its order is carried once more, and the relay orders anew what the queue has ended.
        """
        with read_only(self._lease.engine) as session:
            begun = tasks.begun_by(session, self._lease.worker.executor)
        keys = {try_name(one.key, one.number): one.key for one in begun}
        idle = [name for name in keys if not self._queue.runs(name)]
        lost = [keys[name] for name in self._idle_tries.long(idle)]
        if lost:
            with unit_of_work(self._lease.engine) as session:
                tasks.relay_unfinished_again(session, keys=lost)
            log.warning("orders of tasks that no thread runs are carried again", tasks=sorted(lost))
