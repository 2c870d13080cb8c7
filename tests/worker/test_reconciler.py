"""The reconciler's thread: off where the settings say so, never ended by trouble, ended at once when told."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from bench import Bench
from structlog.testing import capture_logs

from app.domain.ids import RepoName
from app.domain.look_trouble import LookTrouble
from app.store import watch
from app.store.session import read_only, unit_of_work
from worker.beside import beside
from worker.watching.reconciler import Reconciler

REPO = RepoName("octo/lib")


class Turns:
    """Counts looks, and ends the thread after so many."""

    def __init__(self, bench: Bench, *, end_after: int = 1, **settings: object) -> None:
        self.deps = replace(bench.deps, settings=bench.settings.model_copy(update=settings))
        self.stop = threading.Event()
        self.looks, self._end_after = 0, end_after

    def run(self) -> None:
        thread = threading.Thread(target=Reconciler(self.deps, after_look=self._note).run, args=(self.stop,))
        thread.start()
        thread.join(30)
        assert not thread.is_alive()

    def _note(self) -> None:
        self.looks += 1
        if self.looks >= self._end_after:
            self.stop.set()


def test_reconciler_that_is_switched_off_looks_at_nothing(bench: Bench) -> None:
    turns = Turns(bench, reconcile_s=0, repositories=REPO)
    turns.run()
    assert turns.looks == 0


def test_github_that_does_not_answer_is_noted_and_asked_again(bench: Bench) -> None:
    turns = Turns(bench, end_after=2, reconcile_s=0.01, repositories=REPO)
    clock = bench.clock

    def note() -> None:
        clock.advance(1)
        turns._note()

    thread = threading.Thread(target=Reconciler(turns.deps, after_look=note).run, args=(turns.stop,))
    thread.start()
    thread.join(60)
    assert turns.looks == 2
    with read_only(bench.store) as session:
        (one,) = watch.listed(session)
    assert one.trouble is LookTrouble.AWAY


def test_stop_ends_a_turn_between_two_repositories(bench: Bench) -> None:
    turns = Turns(bench, repositories="octo/a,octo/b,octo/c")
    turns.run()
    with read_only(bench.store) as session:
        assert [one.name for one in watch.listed(session)] == ["octo/a"]


def test_start_looks_again_at_what_had_failed(bench: Bench) -> None:
    now = bench.clock.now()
    with unit_of_work(bench.store) as session:
        watch.claim(session, REPO, since=now, now=now, until=now + timedelta(hours=1))
        later = now + timedelta(hours=1)
        watch.failed(session, REPO, LookTrouble.CREDENTIALS, "401", now=now, due_at=later)
    turns = Turns(bench, repositories=REPO)
    turns.run()
    assert turns.looks == 1


@pytest.mark.parametrize("statement", ["INSERT", "UPDATE"])
def test_database_that_refuses_does_not_end_the_thread(bench: Bench, statement: str) -> None:
    bench.forbid(statement, "watched")
    turns = Turns(bench, reconcile_s=0.01, repositories=REPO)
    reconciler = Reconciler(turns.deps, after_look=turns._note)
    with capture_logs() as said, beside(reconciler.run, name="reconciler", after_failure_s=0.01):
        for _ in range(2000):
            if len(said) > 1:
                break
            turns.stop.wait(0.01)
        bench.allow()
        assert turns.stop.wait(30)
    assert said[0]["event"] == "has to wait"
