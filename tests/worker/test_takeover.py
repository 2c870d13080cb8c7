"""Several real workers on one PostgreSQL: what a dead or frozen one had is done by another, and once."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise

import pytest
from fixtures_postgres import Server, driven, server
from killable import DONE, Process, Workers
from pydantic import SecretStr

from app.settings import Settings
from app.store.tasks import TaskState
from worker.queue.lease import LEASE_LOST

THREADS = 24
"""More than there are tasks that hang, so that none waits for a thread."""


@pytest.fixture
def workers(settings: Settings, postgres_url: str) -> Iterator[Workers]:
    started = Workers(on_postgres(settings, postgres_url))
    yield started
    started.end()


def on_postgres(settings: Settings, url: str) -> Settings:
    return settings.model_copy(update={"database_url": SecretStr(driven(url)), "worker_threads": THREADS})


def start_two(workers: Workers) -> tuple[Process, Process]:
    """The first leads: it was there alone when it looked."""
    first = workers.start()
    workers.until(lambda: "this worker leads" in workers.log())
    second = workers.start()
    workers.until(lambda: set(workers.pids()) == {first.pid, second.pid})
    return first, second


def hang_in(workers: Workers, victim: Process) -> tuple[list[str], list[str]]:
    """Deliver what hangs until the victim has some; return all deliveries, and those that hang in it."""
    delivered: list[str] = []
    while not (hanging := [one for one in delivered if workers.runner_of(f"fetch:{one}") is victim]):
        assert len(delivered) < THREADS, "the victim takes no work"
        delivered.append(f"hang-{len(delivered)}")
        workers.deliver(delivered[-1])
        workers.until(lambda: delivered[-1] in fetching(workers))
    return delivered, hanging


def fetching(workers: Workers) -> list[str]:
    return [line.split()[1] for line in workers.starts() if line.startswith("fetch ")]


def is_done(workers: Workers, deliveries: int) -> bool:
    return workers.states() == {TaskState.DONE: 3 * deliveries}


def assert_done_once(workers: Workers, delivered: list[str], *, interrupted: list[str]) -> None:
    """Each effect once; only what was running in the victim was begun twice."""
    assert {name: workers.effects(name) for name in delivered} == dict.fromkeys(delivered, DONE)
    again = {f"fetch:{name}": (2, 1) for name in interrupted}
    assert {key: tries for key, tries in workers.tries().items() if tries != (1, 0)} == again


@pytest.mark.parametrize("leads", [True, False], ids=["the leader", "another one"])
def test_tasks_of_a_worker_that_never_comes_back_are_taken_over(workers: Workers, *, leads: bool) -> None:
    first, second = start_two(workers)
    victim, survivor = (first, second) if leads else (second, first)
    delivered, hanging = hang_in(workers, victim)
    workers.kill(victim)
    workers.rely_on(survivor)
    workers.until(lambda: sorted(fetching(workers)) == sorted(delivered + hanging))
    assert workers.pids() == [survivor.pid]
    workers.go_on()
    workers.until(lambda: is_done(workers, len(delivered)))
    assert_done_once(workers, delivered, interrupted=hanging)
    assert workers.stop(survivor) == 0
    assert workers.pids() == []


@pytest.mark.parametrize("leads", [True, False], ids=["the leader", "another one"])
def test_frozen_worker_that_wakes_ends_itself_and_writes_nothing(workers: Workers, *, leads: bool) -> None:
    first, second = start_two(workers)
    victim, survivor = (first, second) if leads else (second, first)
    delivered, hanging = hang_in(workers, victim)
    workers.freeze(victim)
    workers.rely_on(survivor)
    workers.until(lambda: sorted(fetching(workers)) == sorted(delivered + hanging))
    workers.go_on()
    workers.wake(victim)  # every thread of it that hung may write now, and would
    assert victim.wait(timeout=30) == LEASE_LOST
    assert "worker ends itself" in workers.log()
    workers.until(lambda: is_done(workers, len(delivered)))
    assert_done_once(workers, delivered, interrupted=hanging)
    assert workers.stop(survivor) == 0


def test_task_that_ends_its_worker_is_buried_after_three_takeovers(workers: Workers) -> None:
    workers.deliver("kill-1")
    for _ in range(3):
        assert workers.start().wait(timeout=60) == -signal.SIGKILL
    workers.deliver("g1")  # not before: what runs beside such a task ends with its worker as often
    last = workers.start()
    workers.until(lambda: workers.states() == {TaskState.DONE: 4, TaskState.DEAD: 1})
    assert workers.task("fetch:kill-1").error == "task: its worker ended 3 times while it was running"
    assert workers.starts().count("fetch kill-1") == 3
    assert workers.effects("g1").keys() == DONE.keys()
    assert workers.stop(last) == 0


def test_two_workers_begin_each_task_once_and_one_task_of_a_partition_at_a_time(workers: Workers) -> None:
    start_two(workers)
    guids = [f"g{number}" for number in range(60)]
    workers.deliver(*guids)
    workers.until(lambda: is_done(workers, 60))
    assert all(workers.effects(guid) == DONE for guid in guids)
    assert {interrupted for _, interrupted in workers.tries().values()} == {0}
    judging = [line.split()[0] for line in workers.starts() if line.startswith("judge")]
    assert judging == ["judge", "judged"] * 60
    assert {workers.stop(one) for one in workers.running} == {0}


def test_worker_that_comes_and_one_that_is_asked_to_stop_double_and_lose_nothing(workers: Workers) -> None:
    """At its start a worker has everything unfinished handed over once more, also what another one is at."""
    first = workers.start()
    guids = [f"g{number}" for number in range(60)]
    workers.deliver(*guids)
    workers.until(lambda: len(workers.starts()) > 10)
    second = workers.start()
    workers.until(lambda: second.pid in workers.pids())
    assert workers.stop(first) == 0
    assert workers.pids() == [second.pid]
    workers.until(lambda: is_done(workers, 60))
    assert all(workers.effects(guid) == DONE for guid in guids)
    assert workers.stop(second) == 0


def test_workers_are_listed_with_what_they_run(workers: Workers) -> None:
    first, second = start_two(workers)
    delivered, _ = hang_in(workers, first)
    listed = subprocess.run(
        [sys.executable, "-m", "worker", "workers", "--json"],
        env=workers.settings.as_environment(),
        check=True,
        capture_output=True,
        timeout=60,
    )
    found = [json.loads(line) for line in listed.stdout.splitlines()]
    assert [one["pid"] for one in found] == [first.pid, second.pid]
    assert sum(one["running"] for one in found) == len(delivered)
    assert all(one["beat_age_s"] < 30 for one in found)
    workers.go_on()
    workers.until(lambda: is_done(workers, len(delivered)))


@pytest.fixture
def own_server() -> Iterator[Server]:
    with server() as started:
        yield started


def test_restarts_of_the_server_strand_no_task_of_living_workers(
    settings: Settings, own_server: Server
) -> None:
    workers = Workers(on_postgres(settings, own_server.new_database()))
    try:
        start_two(workers)
        guids = [f"g{number}" for number in range(60)]
        workers.deliver(*guids)
        for seen in (20, 70):
            workers.until(lambda seen=seen: len(workers.starts()) > seen)
            own_server.restart()
        workers.store.dispose()
        workers.until(lambda: is_done(workers, 60), within_s=90)
        assert {guid: sorted(workers.effects(guid)) for guid in guids} == dict.fromkeys(guids, sorted(DONE))
        assert [one.poll() for one in workers.running] == [None, None]
    finally:
        workers.end()


def test_worker_without_its_database_ends_itself_and_the_next_one_goes_on(
    settings: Settings, own_server: Server
) -> None:
    workers = Workers(on_postgres(settings, own_server.new_database()))
    try:
        workers.deliver("hang-1")
        first = workers.start()
        workers.until(lambda: fetching(workers) == ["hang-1"])
        own_server.stop()
        assert first.wait(timeout=60) == LEASE_LOST
        own_server.start()
        workers.store.dispose()
        workers.go_on()
        workers.start()
        workers.until(lambda: is_done(workers, 1))
        assert workers.effects("hang-1") == DONE
    finally:
        workers.end()


def test_starts_of_one_partition_alternate_also_where_a_worker_dies(workers: Workers) -> None:
    _, second = start_two(workers)
    workers.deliver(*(f"g{number}" for number in range(30)))
    workers.until(lambda: sum(line.startswith("judged") for line in workers.starts()) > 4)
    workers.kill(second)
    workers.running.remove(second)
    workers.until(lambda: is_done(workers, 30))
    judging = [line for line in workers.starts() if line.startswith("judge")]
    cut = [a for a, b in pairwise(judging) if a.startswith("judge ") and b.startswith("judge ")]
    assert len(cut) <= 1  # the one that was running in the killed worker
