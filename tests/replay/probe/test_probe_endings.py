"""How processes end: by which word, what they were at when they were told to, and their last stacks."""

import signal

import pytest
from probed import Ran, Tools

from worker.replay.facts import Ending, Sent


def test_leaving_at_once_is_told_with_status_and_what_was_being_handled(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import os

        try:
            1 / 0
        except ZeroDivisionError:
            os._exit(7)
        """,
        python=python,
    )

    assert ran.code == 7
    assert (ran.main.ending, ran.main.exit_code_said) == (Ending.OS_EXIT, 7)
    assert [one.type for one in ran.journals.raised if one.seen == "reported"] == ["ZeroDivisionError"]


def test_asking_to_exit_is_told_with_its_status(tools: Tools, python: str) -> None:
    ran = tools.run("import sys; sys.exit(5)", python=python)

    assert ran.code == 5
    assert (ran.main.ending, ran.main.exit_code_said) == (Ending.SYS_EXIT, 5)


def test_a_worker_that_exits_by_itself_is_told_apart_from_one_that_raised(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import multiprocessing, sys

        def worker(rank):
            if rank:
                sys.exit(4)
            raise ValueError(rank)

        fork = multiprocessing.get_context("fork").Process
        workers = [fork(target=worker, args=(rank,), name="W%d" % rank) for rank in (0, 1)]
        for one in workers:
            one.start()
            one.join()
        """,
        python=python,
    )

    assert (ran.worker("W0").ending, ran.worker("W0").exit_code_said) == (Ending.UNCAUGHT, 1)
    assert (ran.worker("W1").ending, ran.worker("W1").exit_code_said) == (Ending.SYS_EXIT, 4)


KILLED = """
    import multiprocessing, sys, threading, time

    def slow(ready):
        ready.set()
        while True:
            sum(range(1000))

    def stuck(ready):
        one, other = threading.Lock(), threading.Lock()

        def crossing():
            with other:
                time.sleep(0.1)
                one.acquire()

        with one:
            threading.Thread(target=crossing, name="crossing", daemon=True).start()
            time.sleep(0.1)
            ready.set()
            other.acquire()

    if __name__ == "__main__":
        context = multiprocessing.get_context("fork")
        ready = context.Event()
        worker = context.Process(target={"slow": slow, "stuck": stuck}[sys.argv[1]], args=(ready,), name="W")
        worker.start()
        ready.wait(20)
        time.sleep(0.5)
        worker.terminate()
        worker.join()
        print(worker.exitcode)
"""


def terminated(ran: Ran) -> Sent:
    (sent,) = [one for one in ran.journals.sent if one.signal == signal.SIGTERM]
    assert (sent.sender, sent.target, sent.how) == (ran.main.pid, ran.worker("W").pid, "terminate")
    assert sent.site is not None
    assert sent.site.source == "worker.terminate()"
    assert ran.stdout == "-15\n"
    assert -15 in {one.code for one in ran.journals.exits if one.pid == sent.target}
    return sent


def test_a_worker_terminated_while_it_runs_is_seen_running_and_where(tools: Tools, python: str) -> None:
    sent = terminated(tools.run(KILLED, "slow", python=python))

    assert sent.target_state == "R"
    assert sent.target_cpu_grew is not False  # None: a busy machine gave it no CPU while it was looked at
    (main,) = [one for one in sent.target_stacks if one.is_current]
    assert (main.thread, main.frames[0].file, main.frames[0].function) == ("MainThread", "script.py", "slow")
    assert main.reason == "terminate"


def test_a_worker_terminated_while_it_is_stuck_is_seen_asleep_with_its_locks(
    tools: Tools, python: str
) -> None:
    ran = tools.run(KILLED, "stuck", python=python)
    sent = terminated(ran)

    assert (sent.target_state, sent.target_cpu_grew) == ("S", False)
    assert {one.frames[0].function for one in sent.target_stacks if one.frames} == {"stuck", "crossing"}
    waits = {one.thread: one.holder for one in ran.journals.lock_waits}
    assert waits == {"MainThread": "crossing", "crossing": "MainThread"}
    assert len({one.lock for one in ran.journals.lock_waits}) == 2
    assert all(one.frames[0].source for one in sent.target_stacks if one.frames)


def test_a_program_without_the_probe_is_told_to_end_and_asked_nothing(tools: Tools) -> None:
    ran = tools.run(
        """
        import subprocess

        sleeper = subprocess.Popen(["sleep", "30"])
        sleeper.kill()
        print(sleeper.wait())
        """
    )

    (sent,) = ran.journals.sent
    assert (sent.signal, sent.how, sent.target_stacks) == (9, "kill", ())
    assert ran.stdout == "-9\n"


def test_one_that_executed_another_program_since_is_not_asked(tools: Tools) -> None:
    ran = tools.run(
        """
        import os, subprocess, sys, time

        code = "import os; os.execvp('sleep', ['sleep', '30'])"
        child = subprocess.Popen([sys.executable, "-c", code])
        while "sleep" not in open("/proc/%d/cmdline" % child.pid).read().split("\\0")[0]:
            time.sleep(0.01)
        os.kill(child.pid, 15)
        print(child.wait())
        """
    )

    assert ran.stdout == "-15\n"


@pytest.mark.parametrize(
    ("how", "code", "fatal"),
    [
        ("os.abort()", -6, "Aborted"),
        ("faulthandler._sigsegv()", -11, "Segmentation fault"),
    ],
)
def test_a_crash_leaves_the_stack_of_the_thread_that_died(
    tools: Tools, python: str, how: str, code: int, fatal: str
) -> None:
    ran = tools.run(
        f"""
        import faulthandler, multiprocessing, os

        faulthandler.enable()  # as pytest does, on a file of its own

        def native():
            {how}

        if __name__ == "__main__":
            worker = multiprocessing.get_context("fork").Process(target=native, name="W")
            worker.start()
            worker.join()
            print(worker.exitcode)
        """,
        python=python,
    )

    assert ran.stdout == f"{code}\n"
    (died,) = [one for one in ran.journals.stacks if one.is_current]
    assert (died.pid, died.reason, died.fatal) == (ran.worker("W").pid, "fatal", fatal)
    assert "native" in {one.function for one in died.frames if one.in_project}
    assert ran.worker("W").exiting_at is None


def test_the_last_event_survives_being_killed(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import os, traceback

        try:
            raise ValueError("last words")
        except ValueError:
            traceback.format_exc()
        os.kill(os.getpid(), 9)
        """,
        python=python,
    )

    assert ran.code == -9
    assert "last words" in {one.message for one in ran.journals.raised}
    assert ran.journals.sent[-1].signal == 9
    assert ran.journals.torn == ()


def test_a_signal_of_zero_is_no_signal(tools: Tools) -> None:
    ran = tools.run("import os; os.kill(os.getppid(), 0)")

    assert ran.journals.sent == ()
