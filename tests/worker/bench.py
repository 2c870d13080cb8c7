"""A data folder with its databases open, a clock that stands still, and the dependencies stages get."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine, text

from app.settings import Settings
from app.store import outbox, tasks
from app.store.outbox import Order
from app.store.session import read_only, unit_of_work
from app.store.tasks import Task
from worker.deps import Deps

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@dataclass
class StoppedClock:
    at: datetime = NOON

    def now(self) -> datetime:
        return self.at

    def advance(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Bench:
    settings: Settings
    deps: Deps
    clock: StoppedClock

    @property
    def store(self) -> Engine:
        return self.deps.store

    def note(self, order: Order) -> None:
        with unit_of_work(self.store) as session:
            tasks.note_once(session, [order], at=self.clock.now())

    def task(self, key: str) -> Task:
        with read_only(self.store) as session:
            found = tasks.by_key(session, key)
        assert found is not None
        return found

    def due(self) -> list[Order]:
        with read_only(self.store) as session:
            return outbox.waiting(session, now=self.clock.now(), limit=100)

    def forbid(self, statement: str, table: str, *, engine: Engine | None = None) -> None:
        """Make the database refuse UPDATE, INSERT or DELETE on a table, as if the process died there."""
        with unit_of_work(engine or self.store) as session:
            session.execute(
                text(
                    f"CREATE TRIGGER dies BEFORE {statement} ON {table} "
                    "BEGIN SELECT RAISE(ABORT, 'died here'); END"
                )
            )

    def allow(self, *, engine: Engine | None = None) -> None:
        with unit_of_work(engine or self.store) as session:
            session.execute(text("DROP TRIGGER dies"))
