"""A worker's lease, by a clock that only the test moves: who may write, and when others may take over."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from bench import Bench
from fixtures_postgres import driven
from sqlalchemy import Engine, text
from structlog.testing import capture_logs

from app.domain.errors import Unavailable
from app.settings import Settings
from app.store import workers
from app.store.outbox import Order, ask, waiting
from app.store.session import open_engine, read_only, unit_of_work
from app.store.workers import Worker
from worker.queue.leader import Leadership
from worker.queue.lease import LeasePolicy, OwnLease

POLICY = LeasePolicy(beat_s=5, stale_s=20, expires_s=30)
WORKER = Worker("host-7-20261130", "host", 7, "0.1.0")


class Ended(Exception):
    """The process ends here, as far as the lease is concerned."""


def end(reason: str) -> None:
    raise Ended(reason)


@dataclass
class Held:
    """A lease whose threads were never started: the test beats."""

    url: str
    can_be_lost: bool = True
    now_s: float = 100.0
    lease: OwnLease = field(init=False)

    def __post_init__(self) -> None:
        self.lease = OwnLease(
            self.url,
            WORKER,
            POLICY,
            can_be_lost=self.can_be_lost,
            end=end,
            read_s=lambda: self.now_s,
        )
        with unit_of_work(self.lease.engine) as session:
            workers.register(session, WORKER)

    def make_late(self, seconds: float) -> None:
        """As if the last beat had been so long ago by the database's clock."""
        with unit_of_work(self.lease.engine) as session:
            row = session.get_one(workers.WorkerRow, WORKER.executor)
            row.beat_at = datetime.fromtimestamp(row.beat_at.timestamp() - seconds, UTC)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    if request.param == "sqlite":
        return str(request.getfixturevalue("settings").app_database_url)
    return driven(request.getfixturevalue("postgres_url"))


@pytest.fixture
def held(url: str) -> Iterator[Held]:
    made = Held(url)
    yield made
    made.lease.engine.dispose()


@pytest.fixture
def store(url: str, held: Held) -> Iterator[Engine]:
    engine = open_engine(url, before_write=held.lease.require)
    yield engine
    engine.dispose()


def test_worker_with_a_fresh_lease_writes(held: Held, store: Engine) -> None:
    held.now_s += POLICY.stale_s
    with unit_of_work(store) as session:
        ask(session, Order("k", "s", {}))
    with read_only(store) as session:
        assert len(waiting(session, now=datetime.now(UTC), limit=9)) == 1  # noqa: TID251 - any time is due


def test_worker_that_slept_past_its_lease_ends_before_it_writes(held: Held, store: Engine) -> None:
    held.now_s += POLICY.stale_s + 0.1
    with pytest.raises(Ended, match="could not be renewed for 20"), unit_of_work(store) as session:
        ask(session, Order("k", "s", {}))


def test_worker_that_slept_within_a_transaction_does_not_commit_it(held: Held, store: Engine) -> None:
    def sleep_after_writing() -> None:
        with unit_of_work(store) as session:
            ask(session, Order("k", "s", {}))
            session.flush()
            held.now_s += 60

    with pytest.raises(Ended):
        sleep_after_writing()
    with read_only(store) as session:
        assert waiting(session, now=datetime.now(UTC), limit=9) == []  # noqa: TID251 - any time is due


def test_renewing_makes_a_lease_fresh_from_when_it_was_asked_for(held: Held) -> None:
    held.now_s += 19
    held.lease.renew()
    held.now_s += 20
    held.lease.require()
    held.now_s += 0.1
    with pytest.raises(Ended):
        held.lease.require()


def test_stale_lease_is_not_renewed(held: Held) -> None:
    held.now_s += 25
    with pytest.raises(Ended):
        held.lease.renew()


def test_worker_whose_lease_was_ended_by_others_ends_itself(held: Held) -> None:
    held.make_late(31)
    with unit_of_work(held.lease.engine) as session:
        (ended,) = workers.expire(session, after_s=POLICY.expires_s)
    assert ended.worker == WORKER
    assert ended.age_s >= 30
    with pytest.raises(Ended, match="taken over"):
        held.lease.renew()


def test_lease_that_is_late_but_has_not_run_out_is_left(held: Held) -> None:
    held.make_late(20)
    with unit_of_work(held.lease.engine) as session:
        assert workers.expire(session, after_s=POLICY.expires_s) == []
    held.lease.renew()
    with read_only(held.lease.engine) as session:
        (lease,) = workers.leases(session)
    assert lease.worker == WORKER
    assert lease.age_s < 15


def test_lease_of_the_only_worker_cannot_be_lost(url: str) -> None:
    held = Held(url, can_be_lost=False)
    held.now_s += 1000
    held.lease.require()
    with unit_of_work(held.lease.engine) as session:
        workers.leave(session, WORKER.executor)
    held.lease.renew()
    with read_only(held.lease.engine) as session:
        assert [one.worker for one in workers.leases(session)] == [WORKER]
    held.lease.engine.dispose()


@pytest.mark.parametrize("is_idle", [True, False])
def test_only_a_worker_that_runs_nothing_leaves_no_lease(url: str, *, is_idle: bool) -> None:
    lease = OwnLease(url, WORKER, POLICY, can_be_lost=True, end=end)
    lease.start()
    lease.stop(is_idle=is_idle)
    engine = open_engine(url)
    with read_only(engine) as session:
        assert len(workers.leases(session)) == (0 if is_idle else 1)
    engine.dispose()


def test_lease_that_cannot_be_ended_is_told_and_the_worker_ends_well(held: Held, store: Engine) -> None:
    with unit_of_work(store) as session:
        session.execute(text("ALTER TABLE workers RENAME TO gone"))
    for thread in held.lease._threads:
        thread.start()
    with capture_logs() as said:
        held.lease.stop(is_idle=True)
    assert [line["event"] for line in said] == ["lease cannot be ended and runs out by itself"]


def test_lease_must_be_renewed_before_it_is_stale_and_stale_before_it_expires() -> None:
    with pytest.raises(ValueError, match="renewed before it is stale"):
        LeasePolicy(beat_s=5, stale_s=30, expires_s=20)


def test_database_that_is_away_leaves_the_lease_to_age(bench: Bench, settings: Settings) -> None:
    lease = OwnLease(settings.app_database_url, WORKER, POLICY, can_be_lost=True, end=end)
    with unit_of_work(bench.store) as session:
        session.execute(text("DROP TABLE workers"))
    with pytest.raises(Exception, match="no such table"):
        lease.renew()
    lease.require()
    lease.engine.dispose()


def leadership(url: str, *, silent_s: float = 60) -> Leadership:
    return Leadership(driven(url), silent_s=silent_s, before_write=lambda: None)


def wait_for(leadership: Leadership) -> None:
    """The server ends a session a moment after its client is gone, or silent for too long."""
    pause = threading.Event()
    deadline_s = time.monotonic() + 30
    while not leadership.holds():
        assert time.monotonic() < deadline_s
        pause.wait(0.05)


def test_one_worker_leads_until_it_resigns(postgres_url: str) -> None:
    one, two = leadership(postgres_url), leadership(postgres_url)
    assert [one.holds(), two.holds(), one.holds(), two.holds()] == [True, False, True, False]
    one.resign()
    wait_for(two)
    assert not one.holds()
    two.resign()
    one.resign()


def test_leader_that_is_silent_is_replaced_and_knows_it_when_it_wakes(postgres_url: str) -> None:
    frozen, other = leadership(postgres_url, silent_s=0.3), leadership(postgres_url)
    assert frozen.holds()
    wait_for(other)
    assert not frozen.holds()
    assert not frozen.holds()
    other.resign()
    frozen.resign()


def test_frozen_leader_writes_nothing(postgres_url: str) -> None:
    def end_it() -> None:
        raise Unavailable("worker", "its lease is stale")

    stale = Leadership(driven(postgres_url), silent_s=60, before_write=end_it)
    with pytest.raises(Unavailable):
        stale.holds()
    stale.resign()
