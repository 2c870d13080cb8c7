"""Pauses and neighbours: what the arms do to a tree from outside, and that it ends with the trial."""

import os
import subprocess
import threading
from itertools import pairwise
from pathlib import Path

from running import Project, living_with, until

from worker.replay.facts import Pause
from worker.replay.outside.neighbours import burning
from worker.replay.outside.pauses import Pauser
from worker.replay.trial import Perturbation

WORKERS = """
import multiprocessing, time
def _work(rank):
    end = time.monotonic() + 2
    while time.monotonic() < end:
        sum(range(1000))
def test_workers():
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_work, args=(rank,)) for rank in range(2)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
"""
PAUSES = Perturbation(pause_ms=(1, 30), pause_gap_ms=(0, 10))


def test_ranks_are_paused_briefly_and_often_and_the_test_still_ends(project: Project) -> None:
    project.write(WORKERS)
    shown = project.run("test_it.py", isolated=True, perturbation=PAUSES, seed=4)
    assert shown.trial.outcome == "passed"
    ranks = {one.pid for one in shown.facts.processes if one.rank is not None}
    pauses = shown.facts.pauses
    assert {one.pid for one in pauses} == ranks
    assert len(pauses) > 20
    assert all(one.t_in < one.t_out for one in pauses)
    assert all(one.t_out <= after.t_in for one, after in pairwise(pauses))


def test_seed_chooses_whom_to_stop_and_all_go_on_at_the_end() -> None:
    sleepers = [subprocess.Popen(["sleep", "60"]) for _ in range(2)]
    try:
        ranks = [(one.pid, number) for number, one in enumerate(sleepers)]
        first, again, other = ([one.pid for one in _paused(ranks, seed)[:12]] for seed in (4, 4, 5))
        assert first == again != other
        assert set(first) == {0, 1}
        states = [Path(f"/proc/{one.pid}/stat").read_text().split()[2] for one in sleepers]
        assert set(states) <= {"R", "S"}  # a busy machine lets one that goes on wait for its turn
    finally:
        for one in sleepers:
            one.kill()
            one.wait()


def _paused(ranks: list[tuple[int, int]], seed: int) -> tuple[Pause, ...]:
    enough = threading.Event()
    asked = iter(range(13))

    def living() -> list[tuple[int, int]]:
        if next(asked, None) is None:
            enough.set()
        return ranks

    pauser = Pauser(PAUSES, seed, living)
    pauser.start()
    assert enough.wait(10)
    return pauser.stop()


def test_neighbours_burn_beside_and_end_with_the_trial() -> None:
    mark = f"os.getppid() == {os.getpid()}"
    with burning(2, os.getpid()):
        until(lambda: len(living_with(mark)) == 2)
    assert not living_with(mark)
