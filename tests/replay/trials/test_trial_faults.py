"""Suspects that misbehave: each trial ends with a clear answer, in its time, and nothing is left of it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from running import Project, living_with, until

from app.domain.replay_words import Outcome
from worker.replay.limits import Limits

MARK = "flake-triage-fault-{}"
FAULTS = """
import multiprocessing, os, signal, socket, subprocess, sys, threading, time
import pytest

def _stay():
    while True:
        time.sleep(60)

def test_never_ends(): _stay()
def test_ignores_every_polite_signal():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    _stay()
def test_starts_threads_that_never_end():
    for _ in range(3):
        threading.Thread(target=_stay).start()
def test_forks_a_thousand():
    for _ in range(1000):
        if os.fork() == 0:
            _stay()
def test_forks_on_for_ever():
    while True:
        if os.fork():
            os._exit(0)
def test_leaves_a_server():
    code = "import socket, time; s = socket.create_server(('127.0.0.1', 0)); time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", code, MARK], start_new_session=True)
    time.sleep(1.0)
def test_kills_its_parent():
    os.kill(os.getppid(), signal.SIGKILL)
    _stay()
def test_changes_directory_and_clears_its_environment():
    os.environ.clear()
    os.chdir("/")
    assert subprocess.run([sys.executable, "-c", "pass"], env={}).returncode == 0
def test_prints_gigabytes(capfd):
    block = b"x" * (1 << 20)
    with capfd.disabled():
        for _ in range(2048):
            os.write(1, block)
        os.write(2, b"the last words\\n")
    assert False
def test_fails_in_spawned_workers_that_hang():
    workers = [multiprocessing.get_context("spawn").Process(target=_stay) for _ in range(2)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
"""


@pytest.fixture
def faulty(project: Project) -> Project:
    project.write(FAULTS.replace("MARK", repr(_mark(project))))
    return project


def _mark(project: Project) -> str:
    return MARK.format(abs(hash(project.folder)))


@pytest.mark.parametrize("isolated", [True, False], ids=["walls", "no-walls"])
@pytest.mark.parametrize(
    "test",
    [
        "test_never_ends",
        "test_ignores_every_polite_signal",
        "test_starts_threads_that_never_end",
        "test_forks_a_thousand",
        "test_fails_in_spawned_workers_that_hang",
    ],
)
def test_what_never_ends_is_ended_at_its_time(faulty: Project, test: str, *, isolated: bool) -> None:
    began = time.monotonic()
    shown = faulty.run(f"test_it.py::{test}", isolated=isolated, timeout_s=4.0)
    assert time.monotonic() - began < 60
    assert shown.trial.outcome in {Outcome.TIMED_OUT, Outcome.FAILED}  # a bomb may meet its limit first
    assert shown.trial.cleanup.is_clean
    assert not living_with(str(faulty.trials))


def test_stacks_of_a_bare_trial_that_is_ended_are_told_with_their_process(faulty: Project) -> None:
    facts = faulty.run("test_it.py::test_fails_in_spawned_workers_that_hang", timeout_s=6.0).facts
    workers = {one.pid for one in facts.processes if one.rank is not None}
    assert len(workers) == 2
    assert {one.pid for one in facts.stacks if "_stay" in {frame.function for frame in one.frames}} >= workers
    assert all(one.by_us for one in facts.exits)


def test_process_that_outlives_the_test_is_named_with_its_port_and_ended(faulty: Project) -> None:
    shown = faulty.run("test_it.py::test_leaves_a_server", isolated=True)
    assert shown.trial.outcome is Outcome.PASSED
    (survivor,) = shown.facts.survivors
    assert _mark(faulty) in survivor.argv
    assert len(survivor.ports) == 1
    assert not living_with(_mark(faulty))


def test_supervisor_that_is_killed_from_inside_takes_the_tree_with_it(faulty: Project) -> None:
    shown = faulty.run("test_it.py::test_kills_its_parent", isolated=True)
    assert (shown.trial.outcome, shown.trial.exit_code) == (Outcome.FAILED, None)
    assert "the supervisor was killed" in shown.trial.reason
    assert shown.trial.cleanup.is_clean


@pytest.mark.parametrize("bare", [True, False], ids=["bare", "probed"])
def test_cleared_environment_and_another_directory_change_nothing(faulty: Project, *, bare: bool) -> None:
    test = "test_it.py::test_changes_directory_and_clears_its_environment"
    assert faulty.run(test, isolated=True, bare=bare).trial.outcome is Outcome.PASSED


def test_gigabytes_on_stdout_are_cut_and_counted_and_the_end_is_kept(faulty: Project) -> None:
    limits = Limits(timeout_s=60, output_bytes=1 << 20)
    shown = faulty.run("test_it.py::test_prints_gigabytes", limits=limits)
    assert shown.trial.outcome is Outcome.FAILED
    assert len(shown.stdout) < 2 << 20
    assert b"bytes left out here" in shown.stdout
    assert b"1 failed" in shown.stdout
    assert "the last words" in shown.facts.stderr_tail


def test_endless_chain_of_forks_ends_with_its_trial(faulty: Project) -> None:
    shown = faulty.run("test_it.py::test_forks_on_for_ever", isolated=True, timeout_s=5.0)
    assert shown.trial.cleanup.is_clean
    assert not living_with(str(faulty.trials))


ENGINE = """
import sys
from pathlib import Path
sys.path.insert(0, {here!r})
from running import Project
Project(Path({folder!r}), Path({trials!r})).run("test_it.py::test_never_ends", isolated={isolated})
"""


@pytest.mark.parametrize("isolated", [True, False], ids=["walls", "no-walls"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_engine_that_is_ended_leaves_nothing_running(faulty: Project, number: int, *, isolated: bool) -> None:
    code = ENGINE.format(
        here=str(Path(__file__).parent),
        folder=str(faulty.folder),
        trials=str(faulty.trials),
        isolated=isolated,
    )
    engine = subprocess.Popen([sys.executable, "-c", code])
    outside = faulty.trials / "trial-0" / "outside.jsonl"
    until(lambda: outside.exists() and b'"no:cacheprovider"' in outside.read_bytes())
    os.kill(engine.pid, number)
    engine.wait()
    until(lambda: not living_with(str(faulty.trials)) and not living_with("test_it.py::test_never_ends"))
