"""Which claims are put back: those of workers without a lease, and a living worker's own that nobody runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from bench import Bench

from app.store import outbox, tasks, workers
from app.store.outbox import Order
from app.store.session import read_only, unit_of_work
from app.store.workers import Worker
from worker.queue.lease import LeasePolicy, OwnLease
from worker.queue.takeover import Claim, Takeover

POLICY = LeasePolicy(beat_s=5, stale_s=20, expires_s=30)
OWN, OTHER = Worker("own", "host", 1, "0.1.0"), Worker("other", "host", 2, "0.1.0")
OWN_CLAIM, OTHERS_CLAIM = Claim("judge:1#1", "judge", "own"), Claim("judge:2#1", "judge", "other")
ORPHAN = Claim("fetch:1#2", "fetch", "dead")


@dataclass
class Queue:
    claimed: list[Claim]
    running: set[str] = field(default_factory=set)
    put: list[Claim] = field(default_factory=list)

    def claims(self) -> Sequence[Claim]:
        return self.claimed

    def put_back(self, claims: Sequence[Claim]) -> None:
        self.put += claims
        self.claimed = [one for one in self.claimed if one not in claims]

    def runs(self, name: str) -> bool:
        return name in self.running


@dataclass
class Scene:
    lease: OwnLease
    queue: Queue
    leads: bool = True
    now_s: float = 0.0

    def __post_init__(self) -> None:
        self.takeover = Takeover(
            self.lease, self.queue, POLICY, leads=lambda: self.leads, read_s=lambda: self.now_s
        )

    def look(self) -> list[Claim]:
        """What one look puts back."""
        self.queue.put.clear()
        self.takeover.look()
        return list(self.queue.put)


@pytest.fixture
def scene(bench: Bench) -> Iterator[Scene]:
    lease = OwnLease(bench.settings.app_database_url, OWN, POLICY, can_be_lost=True)
    with unit_of_work(lease.engine) as session:
        workers.register(session, OWN)
        workers.register(session, OTHER)
    yield Scene(lease, Queue([OWN_CLAIM, OTHERS_CLAIM, ORPHAN], {OWN_CLAIM.name}))
    lease.engine.dispose()


def test_leader_puts_back_what_executors_without_a_lease_claimed(scene: Scene) -> None:
    assert scene.look() == [ORPHAN]
    assert scene.look() == []


def test_who_does_not_lead_leaves_the_claims_of_others(scene: Scene) -> None:
    scene.leads = False
    assert scene.look() == []


def test_leader_ends_a_lease_that_ran_out_and_takes_over_in_the_same_look(scene: Scene) -> None:
    with unit_of_work(scene.lease.engine) as session:
        row = session.get_one(workers.WorkerRow, "other")
        row.beat_at = row.started_at.replace(year=row.started_at.year - 1)
    assert scene.look() == [OTHERS_CLAIM, ORPHAN]
    with read_only(scene.lease.engine) as session:
        assert [one.worker for one in workers.leases(session)] == [OWN]


@pytest.mark.parametrize("leads", [True, False])
def test_own_claim_that_no_thread_runs_is_put_back_after_a_while(scene: Scene, *, leads: bool) -> None:
    scene.leads = leads
    scene.queue.claimed, scene.queue.running = [OWN_CLAIM], set()
    assert scene.look() == []
    scene.now_s += 29
    assert scene.look() == []
    scene.now_s += 1
    assert scene.look() == [OWN_CLAIM]
    assert scene.look() == []


def test_leader_that_is_none_any_more_once_it_knows_the_claims_puts_nothing_back(scene: Scene) -> None:
    """A later leader may have put them back already, and a living worker may have them by now."""

    class Slow(Queue):
        def claims(self) -> Sequence[Claim]:
            scene.leads = False
            return super().claims()

    scene.takeover._queue = slow = Slow([ORPHAN])
    scene.takeover.look()
    assert slow.put == []


def test_own_claim_that_was_seen_to_run_meanwhile_is_not_lost(scene: Scene) -> None:
    scene.queue.claimed, scene.queue.running = [OWN_CLAIM], set()
    scene.look()
    scene.now_s += 20
    scene.queue.running = {OWN_CLAIM.name}
    scene.look()
    scene.now_s += 20
    scene.queue.running = set()
    assert scene.look() == []


def begin_here(bench: Bench, key: str) -> None:
    """As a try of this worker that has begun and was relayed."""
    order = Order(key, "read_results", {"schema": 1})
    with unit_of_work(bench.store) as session:
        outbox.ask(session, order)
        tasks.note_once(session, [order], at=bench.clock.now())
        outbox.mark_relayed(session, [order], at=bench.clock.now())
        assert tasks.begin_try(session, key, number=1, at=bench.clock.now(), executor="own")


def test_order_of_a_task_that_runs_in_the_store_and_in_no_thread_is_carried_again(
    scene: Scene, bench: Bench
) -> None:
    scene.queue.claimed = []
    begin_here(bench, "read:1")
    begin_here(bench, "read:2")
    scene.queue.running = {"read:2#1"}
    scene.look()
    scene.now_s += 29
    scene.look()
    assert bench.due() == []
    scene.now_s += 1
    scene.look()
    assert [order.key for order in bench.due()] == ["read:1"]
