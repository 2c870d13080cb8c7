"""`flake-triage retention run`, the daily task behind it, and what it asks of GitHub first."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from bench import Bench
from sqlalchemy import func, select
from typer.testing import CliRunner, Result

from app.clock import SystemClock
from app.domain.ids import DeliveryId
from app.store import inbox, measures, outbox, tasks, totals
from app.store.inbox import DeliveryRow, DeliveryState, StoredDelivery
from app.store.outbox import Order, OutboxRow
from app.store.session import read_only, unit_of_work
from app.store.tasks import TaskRow
from worker import cli
from worker.housekeeping import upkeep
from worker.housekeeping.orders import removal_order
from worker.housekeeping.upkeep import Upkeep
from worker.stages.remove_old import remove_old


def retention(*arguments: str) -> Result:
    return CliRunner().invoke(cli.cli, ["retention", "run", *arguments])


@pytest.fixture(autouse=True)
def data_dir(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(bench.settings.data_dir))
    return bench.settings.data_dir


def delivery(bench: Bench, guid: str, *, days: float, state: DeliveryState = DeliveryState.RELAYED) -> None:
    at = SystemClock().now() - timedelta(days=days)
    with unit_of_work(bench.deps.inbox) as session:
        inbox.record_once(
            session, StoredDelivery(DeliveryId(guid), "push", None, None, state, "", at, 1, b"{}"), {}
        )


def ended(bench: Bench, key: str, *, days: float, dead: bool = False) -> None:
    """A task that ended so long ago, with its order."""
    at = SystemClock().now() - timedelta(days=days)
    order = Order(key, "fetch_artifacts", {"schema": 1})
    with unit_of_work(bench.store) as session:
        outbox.ask(session, order)
        outbox.mark_relayed(session, [order], at=at)
        tasks.note_once(session, [order], at=at)
        task = tasks.begin_try(session, key, number=1, at=at)
        assert task is not None
        if dead:
            tasks.bury(session, key, at=at, family="bug", error="x", token=task.total_tries)
        else:
            tasks.finish(session, key, at=at, token=task.total_tries)


def left(bench: Bench) -> tuple[set[str], set[str], set[str]]:
    """Deliveries, tasks and keys of orders."""
    with read_only(bench.deps.inbox) as session:
        deliveries = set(session.scalars(select(DeliveryRow.guid)))
    with read_only(bench.store) as session:
        return (
            deliveries,
            set(session.scalars(select(TaskRow.key))),
            set(session.scalars(select(OutboxRow.key))),
        )


def scene(bench: Bench) -> None:
    delivery(bench, "new", days=29)
    delivery(bench, "old", days=31)
    delivery(bench, "old-but-waiting", days=31, state=DeliveryState.WAITING)
    ended(bench, "done-lately", days=13)
    ended(bench, "done-long-ago", days=15)
    ended(bench, "dead-lately", days=29, dead=True)
    ended(bench, "dead-long-ago", days=31, dead=True)
    long_ago = SystemClock().now() - timedelta(days=60)
    order = Order("never-ended", "fetch_artifacts", {"schema": 1})
    with unit_of_work(bench.store) as session:
        outbox.ask(session, order)
        outbox.mark_relayed(session, [order], at=long_ago)
        tasks.note_once(session, [order], at=long_ago)


STAY = {"done-lately", "dead-lately", "never-ended"}


def test_what_is_past_its_time_goes_and_what_somebody_waits_for_stays(bench: Bench) -> None:
    scene(bench)
    result = retention("--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rows"] == {"deliveries": 1, "orders": 1, "tasks": 2}
    deliveries, kept_tasks, orders = left(bench)
    assert deliveries == {"new", "old-but-waiting"}
    assert kept_tasks == STAY
    assert orders == {"done-lately", "never-ended"}, "a dead task's retry writes an order of its own"


def test_a_dry_run_counts_and_removes_nothing(bench: Bench) -> None:
    scene(bench)
    before = left(bench)
    result = retention("--dry-run")
    assert left(bench) == before
    assert "Would go:" in result.stdout
    assert "2  tasks" in result.stdout


def test_with_nothing_old_nothing_goes(bench: Bench) -> None:
    delivery(bench, "new", days=1)
    assert "Nothing is past its time." in retention().stdout


def test_a_task_that_was_removed_and_is_ordered_again_is_a_new_one(bench: Bench) -> None:
    """Its keys are free: a dead letter removed with its order can be asked for by a redelivery."""
    scene(bench)
    retention()
    with unit_of_work(bench.store) as session:
        assert outbox.ask(session, Order("done-long-ago", "fetch_artifacts", {"schema": 1})) == 1


def test_the_days_task_removes_and_says_when_it_was_done(bench: Bench) -> None:
    bench.clock.at = SystemClock().now()
    scene(bench)
    remove_old(bench.deps, removal_order("2026-11-30").payload)
    assert left(bench)[1] == STAY
    with read_only(bench.store) as session:
        done = measures.one(session, measures.REMOVAL)
    assert done is not None
    assert done.at == bench.clock.at


class Forgetful:
    """A queue with so many old records."""

    def __init__(self, records: int) -> None:
        self.records, self.asked = records, 0

    def forget(self, _before: object) -> int:
        self.asked += 1
        some = min(self.records, 500)
        self.records -= some
        return some


def test_upkeep_orders_one_removal_a_day_however_many_workers_ask(bench: Bench) -> None:
    queue = Forgetful(0)
    both = [Upkeep(bench.deps, forget_ended=queue.forget) for _ in range(2)]
    for one in both:
        one.turn()
    assert bench.due() == [], "a worker that has just begun has other work"
    for _day in range(2):
        bench.clock.advance(24 * 3600)
        for one in both:
            one.turn()
            one.turn()
    assert [order.key for order in bench.due()] == ["remove:2026-12-01:1", "remove:2026-12-02:1"]


def test_upkeep_has_the_queue_forget_bit_by_bit_and_then_rests(bench: Bench) -> None:
    queue = Forgetful(1200)
    one = Upkeep(bench.deps, forget_ended=queue.forget)
    bench.clock.advance(upkeep.FIRST_REMOVAL_AFTER.total_seconds())
    for _turn in range(6):
        one.turn()
        bench.clock.advance(10)
    assert (queue.records, queue.asked) == (0, 4)
    bench.clock.advance(upkeep.FORGET_EVERY.total_seconds())
    one.turn()
    assert queue.asked == 5


def test_upkeep_moves_the_totals_on_and_counts_nothing_twice(bench: Bench) -> None:
    queue = Forgetful(0)
    both = [Upkeep(bench.deps, forget_ended=queue.forget) for _ in range(2)]
    bench.clock.advance(5)
    receive(bench, "before the first turn")
    bench.clock.advance(5)
    both[0].turn()
    bench.clock.advance(60)
    for number in range(3):
        receive(bench, f"d-{number}")
    for _turn in range(3):
        bench.clock.advance(400)
        for one in both:
            one.turn()
    with read_only(bench.store) as session, read_only(bench.deps.inbox) as received:
        counted = totals.until_now(session, received, now=bench.clock.now())
        mark = measures.one(session, totals.MARK)
        kept = session.scalars(select(func.sum(measures.MeasureRow.value))).one()
    assert counted[totals.DELIVERIES] == {"": 4}
    assert kept == 4
    assert mark is not None
    assert bench.clock.now() - mark.at < timedelta(minutes=10)


def receive(bench: Bench, guid: str) -> None:
    at = bench.clock.now()
    stored = StoredDelivery(DeliveryId(guid), "push", None, None, DeliveryState.IGNORED, "", at, 1, b"{}")
    with unit_of_work(bench.deps.inbox) as session:
        inbox.record_once(session, stored, {})
