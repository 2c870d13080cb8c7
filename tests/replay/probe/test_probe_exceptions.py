"""Exceptions of the suspect: which are met, with what, and that nothing about them changes."""

import pytest
from probed import Ran, Tools

from worker.replay.facts import Raised, Seen

CHAIN = """
    import multiprocessing, sys, traceback

    def planned(budget):
        try:
            {}["plan"]
        except KeyError as error:
            raise ValueError("no plan fits %d" % budget) from error

    def worker(rank, queue):
        try:
            if rank == 1:
                planned(7)
            queue.put({"rank": rank, "ok": True})
        except ValueError:
            queue.put({"rank": rank, "traceback": traceback.format_exc()})
            raise

    if __name__ == "__main__":
        context = multiprocessing.get_context(sys.argv[1])
        queue = context.Queue()
        workers = [context.Process(target=worker, args=(r, queue), name="W%d" % r) for r in range(2)]
        workers[0].start()
        first = queue.get(timeout=20)
        workers[1].start()
        for one in workers:
            one.join()
        print(first, [one.exitcode for one in workers])
"""


def of(ran: Ran, seen: Seen) -> list[Raised]:
    return [one for one in ran.journals.raised if one.seen is seen]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_what_leaves_a_worker_is_told_with_its_chain(tools: Tools, python: str, method: str) -> None:
    ran = tools.run(CHAIN, method, python=python)

    (left,) = of(ran, Seen.UNCAUGHT)
    assert (left.type, left.message) == ("ValueError", "no plan fits 7")
    assert left.cause is not None
    assert (left.cause.type, left.cause.message) == ("KeyError", "'plan'")
    assert left.cause == left.context
    innermost = left.frames[-1]
    assert (innermost.file, innermost.function, innermost.in_project) == ("script.py", "planned", True)
    assert innermost.source == 'raise ValueError("no plan fits %d" % budget) from error'
    assert not [one for one in left.frames if "flake_triage" in one.file]
    assert ran.worker("W1").ending == "uncaught"


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_traceback_that_was_put_and_never_read_is_told(tools: Tools, python: str, method: str) -> None:
    ran = tools.run(CHAIN, method, python=python)

    put = [one for one in ran.journals.items if one.is_put]
    got = [one for one in ran.journals.items if not one.is_put]
    assert [one.rank for one in put] == [0, 1]
    assert [(one.rank, one.text) for one in got] == [(0, "{'rank': 0, 'ok': True}")]
    unread = next(one for one in put if one.digest not in {each.digest for each in got})
    assert (unread.rank, unread.holds_traceback, unread.text) == (1, True, "ValueError: no plan fits 7")
    assert unread.site is not None
    assert unread.site.function == "worker"
    (reported,) = {one.identity for one in of(ran, Seen.REPORTED)}
    assert reported == of(ran, Seen.UNCAUGHT)[0].identity


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_output_and_exit_are_the_same_with_and_without_it(tools: Tools, python: str, method: str) -> None:
    probed = tools.run(CHAIN, method, python=python)
    bare = {name: value for name, value in tools.environment().items() if name not in tools.address}
    (tools.folder / "address.json").unlink()
    unprobed = tools.run(CHAIN, method, python=python, env=bare)

    assert (probed.stdout, probed.stderr, probed.code) == (unprobed.stdout, unprobed.stderr, unprobed.code)


def test_a_formatted_traceback_shows_no_frame_of_the_probe(tools: Tools, python: str) -> None:
    script = """
        import os, sys, traceback

        def end():
            os.kill(2**22 + 1, 15)

        try:
            try:
                end()
            except ProcessLookupError as error:
                raise ValueError("behind it") from error
        except ValueError:
            print(traceback.format_exc())
    """
    probed = tools.run(script, python=python)
    bare = {name: value for name, value in tools.environment().items() if name not in tools.address}
    (tools.folder / "address.json").unlink()

    assert "ProcessLookupError" in probed.stdout
    assert probed.stdout == tools.run(script, python=python, env=bare).stdout


def test_a_swallowed_exception_is_met_where_its_handler_waits(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import time

        def estimate():
            raise ValueError("no packing fits")

        try:
            estimate()
        except ValueError:
            for _ in range(5):
                time.sleep(0.01)
        """,
        python=python,
    )

    (met,) = of(ran, Seen.HANDLED)
    assert (met.type, met.frames[-1].function) == ("ValueError", "estimate")


def test_from_3_12_on_a_handler_that_does_nothing_is_met_too(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import sys

        def estimate():
            raise ValueError("no packing fits")

        for _ in range(100):
            try:
                estimate()
            except ValueError:
                pass
        print(sys.version_info >= (3, 12))
        """,
        python=python,
    )

    met = of(ran, Seen.HANDLED)
    assert bool(met) is (ran.stdout == "True\n")
    assert len(met) <= 3


def test_handlers_outside_the_project_are_not_met(tools: Tools, python: str) -> None:
    ran = tools.run("import shutil; print(shutil.which('no-such-program-at-all'))", python=python)

    assert of(ran, Seen.HANDLED) == []


def test_what_leaves_a_thread_and_the_interpreter_is_told(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import threading

        def work():
            raise KeyError("thread")

        thread = threading.Thread(target=work, name="loader")
        thread.start()
        thread.join()
        raise OSError(98, "in use")
        """,
        python=python,
    )

    thread, last = of(ran, Seen.UNCAUGHT)
    assert (thread.type, thread.thread) == ("KeyError", "loader")
    assert (last.type, last.errno, last.thread) == ("OSError", 98, "MainThread")
    assert ran.main.ending == "uncaught"
    assert ran.code == 1
    assert "OSError: [Errno 98] in use" in ran.stderr


def test_an_exception_whose_text_fails_is_told_without_it(tools: Tools) -> None:
    ran = tools.run(
        """
        class Odd(Exception):
            def __str__(self):
                raise RuntimeError("no text")

        raise Odd
        """
    )

    assert [(one.type, one.message) for one in of(ran, Seen.UNCAUGHT)] == [("__main__.Odd", "")]


def test_a_flood_of_exceptions_stays_within_bounds(tools: Tools) -> None:
    ran = tools.run(
        """
        import traceback

        for number in range(5000):
            try:
                raise ValueError(str(number))
            except ValueError:
                traceback.format_exc()
        """
    )

    assert len(ran.journals.raised) == 2000
    assert ran.code == 0


def test_an_exception_may_stand_behind_itself(tools: Tools) -> None:
    ran = tools.run(
        """
        import traceback

        first, second = ValueError("first"), KeyError("second")
        first.__cause__, second.__cause__ = second, first
        try:
            raise first
        except ValueError:
            traceback.format_exc()
        """
    )

    met = of(ran, Seen.REPORTED)[0]
    assert met.cause is not None
    assert met.cause.cause is None


def test_the_same_object_is_the_same_and_another_is_another(tools: Tools) -> None:
    ran = tools.run(
        """
        import traceback

        for text in ("one", "two"):
            try:
                raise ValueError(text)
            except ValueError:
                traceback.format_exc()
                traceback.format_exc()
        """
    )

    reported = of(ran, Seen.REPORTED)
    assert [one.message for one in reported] == ["one", "two"]
    assert len({one.identity for one in reported}) == 2
