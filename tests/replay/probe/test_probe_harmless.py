"""What the probe must not do: hold threads at exit, write into the suspect's files, look like a stranger."""

import sys

import pytest
from probed import Tools

from worker.replay.facts import Seen


def test_a_thread_that_answers_is_none_that_a_test_counts_and_is_gone_at_its_end(
    tools: Tools, python: str
) -> None:
    ran = tools.run(
        """
        import os, threading
        from flake_triage_probe import asked

        tasks = lambda: len(os.listdir("/proc/self/task"))
        fifos = lambda: [one for one in os.listdir(os.environ["FLAKE_TRIAGE_JOURNAL"]) if ".ask" in one]
        before = tasks()
        asked.start()
        asked.start()
        print(tasks() - before, threading.active_count(), len(fifos()))
        asked.end()
        asked.end()
        print(tasks() - before, fifos())
        """,
        python=python,
    )

    assert ran.stdout == "1 1 1\n0 []\n", ran.stderr
    assert ran.journals.troubles == ()


@pytest.mark.parametrize("leaving", ["pass", "sys.exit(3)", "os._exit(0)", "raise ValueError"])
def test_a_process_that_never_ends_it_still_exits(tools: Tools, python: str, leaving: str) -> None:
    ran = tools.run(
        f"import os, sys\nfrom flake_triage_probe import asked\nasked.start()\n{leaving}\n", python=python
    )

    assert ran.code == {"pass": 0, "sys.exit(3)": 3, "os._exit(0)": 0, "raise ValueError": 1}[leaving]


def test_a_stuck_process_tells_what_it_handles_when_it_is_asked(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import os, sys, threading
        from flake_triage_probe import asked

        answered, release = threading.Event(), threading.Event()
        asked.on_ask(answered.set)
        asked.start()

        def work():
            try:
                raise ValueError("kept to itself")
            except ValueError:
                handling.set()
                while not release.is_set():
                    pass  # waits in no function that is looked at

        handling = threading.Event()
        thread = threading.Thread(target=work, name="busy")
        thread.start()
        handling.wait(20)
        with open(os.path.join(os.environ["FLAKE_TRIAGE_JOURNAL"], "%d.ask" % os.getpid()), "wb") as fifo:
            fifo.write(b"dump\\n")
        print(answered.wait(20))
        release.set()
        thread.join()
        asked.end()
        """,
        python=python,
    )

    assert ran.stdout == "True\n", ran.stderr
    told = [one.message for one in ran.journals.raised if one.seen is Seen.HANDLED]
    can_be_asked = "3.9." not in str(ran.main.python)
    assert told == (["kept to itself"] if can_be_asked else [])


def test_a_fork_child_has_no_answering_thread_and_can_start_its_own(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import os, sys
        from flake_triage_probe import asked

        asked.start()
        child = os.fork()
        if not child:
            asked.end()
            asked.start()
            asked.end()
            os._exit(0)
        print(os.waitpid(child, 0)[1])
        asked.end()
        """,
        python=python,
        options=["-W", "ignore"],
    )

    assert (ran.stdout, ran.journals.troubles) == ("0\n", ())


def test_files_opened_under_numbers_that_were_closed_are_not_written_to(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import os, sys, traceback

        os.closerange(3, 1024)
        files = [os.open("mine", os.O_RDWR | os.O_CREAT) for _ in range(600)]
        try:
            raise ValueError("after they were closed")
        except ValueError:
            traceback.format_exc()
        print(os.path.getsize("mine"))
        """,
        python=python,
    )

    assert ran.stdout == "0\n", ran.stderr
    assert "after they were closed" in {one.message for one in ran.journals.raised}


def test_what_it_wraps_looks_as_before(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import inspect, multiprocessing.queues, os, pickle, sys, threading, time

        for one in (time.sleep, os.kill, os._exit, os.waitpid, sys.exit):
            assert pickle.loads(pickle.dumps(one)) is one, one
        print(inspect.signature(multiprocessing.queues.Queue.put))
        print(inspect.signature(threading.Event.wait), time.sleep.__name__, os.kill.__module__)
        """,
        python=python,
    )

    assert ran.stdout == "(self, obj, block=True, timeout=None)\n(self, timeout=None) sleep posix\n", (
        ran.stderr
    )


def test_errors_of_what_it_wraps_are_the_same(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import os, time

        calls = (time.sleep, -1), (time.sleep,), (os.kill, 2**22 + 1, 15), (os.waitpid, -1, 0)
        for call, *args in calls:
            try:
                call(*args)
            except Exception as error:
                print(type(error).__name__)
        """,
        python=python,
    )

    assert ran.stdout.split() == ["ValueError", "TypeError", "ProcessLookupError", "ChildProcessError"], (
        ran.stderr
    )


def test_a_watched_lock_is_a_lock_in_every_way_that_can_be_seen(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import copy, pickle, sys, threading, weakref
        from threading import Lock, RLock

        kinds = {Lock: type(threading._allocate_lock()), RLock: type(threading._CRLock())}
        for make, kind in kinds.items():
            lock = make()
            assert isinstance(lock, kind) and weakref.ref(lock)() is lock
            for fails, error in (
                (lambda: pickle.dumps(lock), TypeError),
                (lambda: copy.deepcopy(lock), TypeError),
                (lambda: lock.acquire(False, 1), ValueError),
                (lambda: lock.acquire(True, -2), ValueError),
                (lambda: lock.release(), RuntimeError),
            ):
                try:
                    fails()
                except error:
                    continue
                raise AssertionError((make, error))
            with lock as entered:
                assert entered is True
                assert lock.acquire(False) is (make is RLock)
                assert lock.acquire(timeout=0.3) is (make is RLock)
            if make is RLock:
                lock.release(); lock.release()
            condition = threading.Condition(lock)

            def wake():
                with condition:
                    condition.notify_all()

            with condition:
                threading.Thread(target=wake).start()
                assert condition.wait(20)
        if sys.version_info >= (3, 13):
            assert Lock | None and isinstance(Lock(), Lock) and issubclass(type(Lock()), Lock)
        """,
        python=python,
    )

    assert ran.code == 0, ran.stderr


def test_start_costs_no_more_than_it_may(tools: Tools) -> None:
    """Modules that it imports on its own account: those are what it costs."""
    code = "import os, sys; print(*sorted(name.split('.')[0] for name in sys.modules))"
    environment = tools.environment()
    probed = set(tools.ran([sys.executable, "-S", "-c", f"import sitecustomize; {code}"]).stdout.split())
    bare = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
    unprobed = set(tools.ran([sys.executable, "-S", "-c", code], env=bare).stdout.split())

    assert probed - unprobed <= {
        *("sitecustomize", "flake_triage_probe", "__future__", "atexit", "faulthandler", "_json"),
        *("time", "_coverage"),
    }
