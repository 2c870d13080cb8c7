"""The queue itself, with DBOS behind it: order, exclusion, names."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from fixtures_postgres import Server, driven

from app.store.outbox import Order
from app.store.session import sqlite_url
from worker.deps import QueueName
from worker.queue.engine import TaskEngine
from worker.queue.takeover import Claim

THREADS = 4


class Tries:
    """Records which tries ran, and which ran at the same time."""

    def __init__(self) -> None:
        self.finished: list[tuple[str, int]] = []
        self.overlaps: set[frozenset[str]] = set()
        self.started: Counter[str] = Counter()
        self._running: set[str] = set()
        self._change = threading.Condition()
        self._may_end = threading.Event()
        self._may_end.set()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Have what is called `waits`, or that with more behind it, wait meanwhile."""
        self._may_end.clear()
        try:
            yield
        finally:
            self._may_end.set()

    def wait_for_start(self, key: str, *, times: int = 1) -> None:
        with self._change:
            assert self._change.wait_for(lambda: self.started[key] >= times, timeout=30)

    def run(self, key: str, number: int) -> None:
        with self._change:
            self.overlaps |= {frozenset({key, other}) for other in self._running}
            self._running.add(key)
            self.started[key] += 1
            self._change.notify_all()
            if key.startswith("meets"):  # waits until another one runs, which must be possible
                assert self._change.wait_for(lambda: len(self._running) > 1 or self.overlaps, timeout=20)
        if key.startswith("waits"):
            assert self._may_end.wait(timeout=60)
        with self._change:
            self._running.discard(key)
            self.finished.append((key, number))
            self._change.notify_all()

    def wait_for(self, count: int) -> None:
        with self._change:
            assert self._change.wait_for(lambda: len(self.finished) >= count, timeout=30), self.finished


class Queue:
    """One engine for the whole module, since a start takes a second; each test has names of its own."""

    def __init__(self, url: str) -> None:
        self.tries = Tries()
        self._test = 0
        self.engine = TaskEngine(url, self._run, executor="worker", threads=THREADS, poll_interval_s=0.02)

    def next_test(self) -> None:
        self._test += 1
        self.tries = Tries()

    def put(
        self, name: str, on: QueueName, *, partition: str | None = None, number: int = 1, rank: int = 1
    ) -> bool:
        return self.engine.enqueue(Order(self.key(name), "s", {}, partition, number=number), on, rank=rank)

    def key(self, name: str) -> str:
        return f"{self._test}|{name}"

    def _run(self, key: str, number: int) -> None:
        self.tries.run(key.partition("|")[2], number)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "sqlite":
        yield sqlite_url(tmp_path_factory.mktemp("engine") / "engine.db")
        return
    server: Server = request.getfixturevalue("postgres")
    made = server.new_database()
    yield driven(made)
    server.drop(made)


@pytest.fixture(scope="module")
def running(url: str) -> Iterator[Queue]:
    queue = Queue(url)
    queue.engine.start()
    yield queue
    assert queue.engine.stop(timeout_s=1)


@pytest.fixture
def queue(running: Queue) -> Queue:
    running.next_test()
    return running


def test_order_runs_once_however_often_it_is_enqueued(queue: Queue) -> None:
    assert queue.put("k", "fetch")
    queue.put("k", "fetch")
    queue.tries.wait_for(1)
    queue.put("k", "fetch")
    assert queue.put("last", "fetch")
    queue.tries.wait_for(2)
    assert Counter(queue.tries.finished) == {("k", 1): 1, ("last", 1): 1}


def test_order_that_has_ended_is_refused_and_its_next_number_is_not(queue: Queue) -> None:
    queue.put("k", "fetch")
    queue.tries.wait_for(1)
    while queue.put("k", "fetch"):  # its end is noted just after the try returns
        pass
    assert queue.put("k", "fetch", number=2)
    queue.tries.wait_for(2)
    assert queue.tries.finished == [("k", 1), ("k", 2)]


@pytest.mark.parametrize("name", ["judge", "report"])
def test_tasks_of_one_partition_run_one_after_another_in_order(queue: Queue, name: QueueName) -> None:
    keys = [f"k{number}" for number in range(8)]
    for key in keys:
        queue.put(key, name, partition="octo/widgets")
    queue.tries.wait_for(8)
    assert [key for key, _ in queue.tries.finished] == keys
    assert queue.tries.overlaps == set()


@pytest.mark.parametrize("name", ["judge", "report"])
def test_tasks_of_different_partitions_run_side_by_side(queue: Queue, name: QueueName) -> None:
    for repo in ("octo/widgets", "octo/gears"):
        queue.put(f"meets {repo}", name, partition=repo)
    queue.tries.wait_for(2)
    assert queue.tries.overlaps == {frozenset({"meets octo/widgets", "meets octo/gears"})}


@pytest.mark.parametrize("name", ["fetch", "judge", "report"])
def test_order_without_partition_runs_on_every_queue(queue: Queue, name: QueueName) -> None:
    queue.put("k", name)
    queue.tries.wait_for(1)


def test_what_was_begun_runs_before_what_is_new_and_each_in_the_order_it_came(queue: Queue) -> None:
    new, begun = ([f"{what} {number}" for number in range(6)] for what in ("new", "begun"))
    with queue.tries.held():
        for number in range(THREADS):
            queue.put(f"waits {number}", "fetch", rank=1)
            queue.tries.wait_for_start(f"waits {number}")
        for key in new:
            queue.put(key, "fetch", rank=3)
        for key in begun:
            queue.put(key, "fetch", rank=2)
    queue.tries.wait_for(THREADS + 12)
    started = list(queue.tries.started)[THREADS:]
    assert set(started[:6]) == set(begun)
    assert set(started[6:]) == set(new)


def test_key_of_any_characters_is_a_name(queue: Queue) -> None:
    key = "comment:octo/widgets#7:größe 'x' \"y\" %s\n" + "z" * 250
    queue.put(key, "report", partition=key)
    queue.tries.wait_for(1)
    assert queue.tries.finished == [(key, 1)]


def test_records_of_ended_tries_are_forgotten_and_those_of_others_are_not(queue: Queue) -> None:
    queue.put("one", "fetch")
    queue.tries.wait_for(1)
    long_ago, later = datetime(2020, 1, 1, tzinfo=UTC), datetime(2120, 1, 1, tzinfo=UTC)
    deadline_s = time.monotonic() + 20
    while queue.put("one", "fetch"):  # the queue notes the end after the try
        assert time.monotonic() < deadline_s
    assert queue.engine.forget_ended(long_ago) == 0
    assert not queue.put("one", "fetch"), "its record is still there"
    assert queue.engine.forget_ended(later) > 0
    assert queue.engine.forget_ended(later) == 0


def test_claim_is_known_while_it_runs_and_once_put_back_it_keeps_its_place(queue: Queue) -> None:
    """As after the death of a worker: the try is begun again before the next one of its partition.

    On SQLite entries of one second are in the order of their names.
    """
    with queue.tries.held():
        queue.put("waits", "judge", partition="octo/widgets")
        queue.tries.wait_for_start("waits")
        queue.put("your turn", "judge", partition="octo/widgets")
        (claim,) = queue.engine.claims()
        assert (claim.queue, claim.executor) == ("judge", "worker")
        assert claim.name.endswith("|waits#1")
        assert queue.engine.runs(claim.name)
        assert not queue.engine.runs("another#1")
        queue.engine.put_back([claim])
        queue.tries.wait_for_start("waits", times=2)
        assert queue.tries.started["your turn"] == 0
    queue.tries.wait_for(3)
    assert Counter(queue.tries.finished) == {("waits", 1): 2, ("your turn", 1): 1}


def test_putting_back_what_has_ended_changes_nothing(queue: Queue) -> None:
    queue.put("k", "fetch")
    queue.tries.wait_for(1)
    while queue.put("k", "fetch"):  # its end is noted just after the try returns
        pass
    name = f"{queue.key('k')}#1"
    queue.engine.put_back([Claim(name, "fetch", "worker")])
    queue.put("last", "fetch")
    queue.tries.wait_for(2)
    assert queue.tries.finished == [("k", 1), ("last", 1)]
