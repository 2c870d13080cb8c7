"""Waiting for the service in vain names what is left to do, and why it was not done."""

from datetime import timedelta

import pytest
from bench import Bench

from app.domain.errors import Unavailable
from app.store import outbox, tasks
from app.store.outbox import Order
from app.store.session import unit_of_work
from worker.quiet import Quiet


def test_a_wait_in_vain_names_the_tasks_that_are_left(bench: Bench) -> None:
    orders = [Order("judge:7", "judge_failures", {"schema": 1}), Order("fetch:8", "fetch_artifacts", {})]
    now = bench.deps.clock.now()
    with unit_of_work(bench.store) as session:
        outbox.ask(session, *orders)
        outbox.mark_relayed(session, orders, at=now)
        tasks.note_once(session, orders, at=now)
        task = tasks.begin_try(session, "judge:7", number=1, at=now)
        assert task is not None
        tasks.wait(
            session,
            "judge:7",
            at=now,
            next_at=now + timedelta(hours=1),
            family="unavailable",
            error="no route to GitHub",
            tries=1,
            token=task.total_tries,
        )
        outbox.mark_relayed(session, [Order("judge:7", "judge_failures", {}, number=2)], at=now)
    quiet = Quiet(bench.store, bench.deps.inbox)
    with pytest.raises(Unavailable) as told:
        quiet.wait(within_s=0)
    words = str(told.value)
    assert "1 queued, 1 waiting" in words
    assert "queued fetch:8 (order 1, 0 tries, 0 interrupted)" in words
    assert (
        f"waiting judge:7 (order 2, 1 tries, 0 interrupted, until {now + timedelta(hours=1):%H:%M:%S})"
        in words
    )
    assert words.endswith("last error: no route to GitHub")
