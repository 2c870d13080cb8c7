"""Faults of ours in processes of every Python, without torch: at a rank's exit, however it was started."""

import json
import signal
import sys
from collections.abc import Mapping

import pytest
from probed import Ran, Tools

from worker.replay.probe import address
from worker.replay.probe.inject import CONTROL, EXIT_CODE, MARK
from worker.replay.probe.inject_waits import SUFFIX

WORKERS = """
    import multiprocessing as mp, sys

    def work(rank):
        print("worked", rank, flush=True)

    if __name__ == "__main__":
        context = mp.get_context(sys.argv[1])
        ranks = [context.Process(target=work, args=(rank,)) for rank in range(2)]
        for one in ranks:
            one.start()
        for one in ranks:
            one.join(float(sys.argv[2]))
            if one.is_alive():
                one.terminate()
                one.join()
        print([one.exitcode for one in ranks])
"""
PROGRAM = "import sys; print('worked', flush=True); sys.exit(int(sys.argv[1]))"
CODES = {"raise": 1, "exit": EXIT_CODE, "kill": -signal.SIGKILL, "hang": -signal.SIGTERM}


def run(tools: Tools, script: str, *args: str, spec: str, python: str, more: Mapping[str, str] = {}) -> Ran:
    env = {**tools.environment(), address.INJECT: spec, **more}
    return tools.run(script, *args, python=python, env=env)


def marks(ran: Ran) -> int:
    return len(list(ran.folder.glob(f"*{MARK}")))


@pytest.mark.parametrize(
    ("started", "how"),
    [
        *(("fork", how) for how in CODES),
        *(("spawn", how) for how in ("raise", "kill")),
        ("forkserver", "raise"),
        *(pytest.param("spawn", how, marks=pytest.mark.accept) for how in ("exit", "hang")),
        *(pytest.param("forkserver", how, marks=pytest.mark.accept) for how in ("exit", "kill", "hang")),
    ],
)
def test_a_worker_fails_after_its_function_has_returned(
    tools: Tools, python: str, started: str, how: str
) -> None:
    patience = "1" if how == "hang" else "20"
    ran = run(tools, WORKERS, started, patience, spec=f"rank=1,at=exit,how={how}", python=python)
    assert f"[0, {CODES[how]}]" in ran.stdout, ran.stdout + ran.stderr
    assert "worked 1" in ran.stdout
    assert ("RuntimeError: INJECTED_RANK1_FAILURE" in ran.stderr) == (how == "raise")
    assert marks(ran) == 1


@pytest.mark.parametrize("how", ["raise", "exit", "kill"])
def test_a_program_fails_while_it_exits(tools: Tools, python: str, how: str) -> None:
    more = {"RANK": "1", "WORLD_SIZE": "2"}
    ran = run(tools, PROGRAM, "0", spec=f"rank=1,at=exit,how={how}", python=python, more=more)
    assert (ran.code, ran.stdout, marks(ran)) == (CODES[how], "worked\n", 1), ran.stderr


@pytest.mark.parametrize(
    ("script", "code"),
    [(PROGRAM, 7), ("raise ValueError('its own')", 1), ("import os, sys; os._exit(int(sys.argv[1]))", 7)],
)
def test_a_program_that_fails_by_itself_is_left_alone(tools: Tools, script: str, code: int) -> None:
    more = {"RANK": "1", "WORLD_SIZE": "2"}
    ran = run(tools, script, "7", spec="rank=1,at=exit,how=exit", python=sys.executable, more=more)
    assert (ran.code, marks(ran)) == (code, 0)


def test_an_immediate_exit_is_an_exit_too(tools: Tools, python: str) -> None:
    script = "import os; os._exit(0)"
    ran = run(tools, script, spec="rank=1,at=exit,how=raise", python=python, more={"RANK": "1"})
    assert (ran.code, marks(ran)) == (1, 1)
    assert "INJECTED_RANK1_FAILURE" in ran.stderr


def test_another_rank_and_a_control_are_left_alone(tools: Tools) -> None:
    for spec in ("rank=2,at=exit,how=kill", CONTROL):
        ran = run(tools, WORKERS, "fork", "20", spec=spec, python=sys.executable)
        assert "[0, 0]" in ran.stdout
        assert marks(ran) == 0


HELPED = """
    import multiprocessing as mp, subprocess, sys

    def help_():
        pass

    def work(rank):
        helper = mp.get_context("fork").Process(target=help_)
        helper.start()
        helper.join()
        program = subprocess.run([sys.executable, "-c", "pass"])
        print(rank, helper.exitcode, program.returncode, flush=True)

    if __name__ == "__main__":
        ranks = [mp.get_context("fork").Process(target=work, args=(rank,)) for rank in range(2)]
        for one in ranks:
            one.start()
        for one in ranks:
            one.join()
        print([one.exitcode for one in ranks])
"""
HELPED_PROGRAM = """
    import multiprocessing as mp, subprocess, sys

    def help_():
        pass

    helper = mp.get_context("fork").Process(target=help_)
    helper.start()
    helper.join()
    program = subprocess.run([sys.executable, "-c", "pass"])
    print(helper.exitcode, program.returncode, flush=True)
"""


def test_helpers_of_a_rank_are_no_rank(tools: Tools) -> None:
    spec = "rank=1,at=exit,how=exit"
    ran = run(tools, HELPED, spec=spec, python=sys.executable)
    assert {"0 0 0", "1 0 0", f"[0, {EXIT_CODE}]"} == set(ran.stdout.splitlines()), ran.stderr
    ran = run(tools, HELPED_PROGRAM, spec=spec, python=sys.executable, more={"RANK": "1"})
    assert (ran.code, ran.stdout) == (EXIT_CODE, "0 0\n"), ran.stderr


WAITS = """
    import multiprocessing as mp, queue, subprocess, sys, threading

    def nap(seconds):
        threading.Event().wait(seconds)

    def run_out():
        queue_ = mp.Queue()
        try:
            queue_.get(timeout=1.1)
        except queue.Empty:
            pass
        napper = mp.get_context("fork").Process(target=nap, args=(30,))
        napper.start()
        napper.join(timeout=1.2)
        napper.terminate()
        napper.join(20)
        threading.Event().wait(timeout=1.3)
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        try:
            child.wait(timeout=1.4)
        except subprocess.TimeoutExpired:
            child.communicate()
        threading.Event().wait(0.2)

    run_out()
"""


def test_waits_that_ran_out_are_noted_with_their_place(tools: Tools, python: str) -> None:
    ran = run(tools, WAITS, spec=CONTROL, python=python)
    assert ran.code == 0, ran.stderr
    files = ran.folder.glob(f"*{SUFFIX}")
    told = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    found = {round(one["timeout_s"], 1): one["site"][3] for one in told}
    assert found == {
        1.1: "queue_.get(timeout=1.1)",
        1.2: "napper.join(timeout=1.2)",
        1.3: "threading.Event().wait(timeout=1.3)",
        1.4: "child.wait(timeout=1.4)",
    }
