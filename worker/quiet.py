"""Wait until the service has nothing left to do, by looking at its own tables."""

import time
from dataclasses import dataclass

from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from app.domain.errors import Rejected, Unavailable
from app.settings import Settings
from app.store import inbox, outbox, tasks
from app.store.session import open_engine, open_inbox, read_only
from app.store.tasks import TaskState

LOOK_S = 0.03
NAMED = 3
"""Unfinished tasks of each state that are named where the wait was in vain."""
UNFINISHED = (TaskState.QUEUED, TaskState.RUNNING, TaskState.WAITING)


@dataclass(slots=True)
class Quiet:
    """Watches the two databases of one service."""

    store: Engine
    inbox: Engine

    @classmethod
    def of(cls, settings: Settings) -> "Quiet":
        return cls(open_engine(settings.app_database_url), open_inbox(settings.inbox_database_url))

    def wait(self, *, within_s: float) -> None:
        """Raises Unavailable if work is still going on after that time, Rejected if a task was given up."""
        deadline = time.monotonic() + within_s
        while not self._is_seen_quiet():
            if time.monotonic() > deadline:
                raise Unavailable("service", f"still at work after {within_s:.0f} s: {self._told()}")
            time.sleep(LOOK_S)
        with read_only(self.store) as session:
            dead = tasks.newest(session, state=TaskState.DEAD, limit=1)
        if dead:
            raise Rejected(f"task {dead[0].key}", f"it was given up: {dead[0].error}")

    def _is_seen_quiet(self) -> bool:
        """A database that is being restarted says nothing."""
        try:
            return self.is_quiet()
        except OperationalError:
            return False

    def is_quiet(self) -> bool:
        """Deliveries first: what leaves the inbox is a task before it has left."""
        with read_only(self.inbox) as session:
            if inbox.waiting(session, limit=1):
                return False
        with read_only(self.store) as session:
            if outbox.count_waiting(session):
                return False
            counts = tasks.counts(session)
        return not any(counts.get(state) for state in UNFINISHED)

    def _told(self) -> str:
        """How many tasks are in each state, and some unfinished ones by name: a count explains nothing."""
        with read_only(self.store) as session:
            counts = tasks.counts(session)
            left = [one for state in UNFINISHED for one in tasks.newest(session, state=state, limit=NAMED)]
        numbers = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
        return "; ".join([numbers, *map(_named, left)])

    def close(self) -> None:
        self.store.dispose()
        self.inbox.dispose()


def _named(task: tasks.Task) -> str:
    tried = f"order {task.number}, {task.total_tries} tries, {task.interrupted} interrupted"
    until = "" if task.next_at is None else f", until {task.next_at:%H:%M:%S}"
    error = "" if task.error is None else f", last error: {task.error[:200]}"
    return f"{task.state} {task.key} ({tried}{until}) since {task.updated_at:%H:%M:%S}{error}"
