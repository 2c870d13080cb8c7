"""Items between processes: the same on both sides, told by what was put, and never touched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from probed import Tools

from worker.replay.probe import items

CHANNELS = """
    import multiprocessing, sys

    class Opaque:
        def __repr__(self):
            raise RuntimeError("never asked")

    def worker(kind, end):
        {"Queue": end.put if kind != "Pipe" else None, "SimpleQueue": getattr(end, "put", None),
         "JoinableQueue": getattr(end, "put", None), "Pipe": getattr(end, "send", None)}[kind](
            {"rank": 1, "values": [1, 2.5, None], "opaque": Opaque()})

    if __name__ == "__main__":
        kind, method = sys.argv[1:]
        context = multiprocessing.get_context(method)
        if kind == "Pipe":
            mine, theirs = context.Pipe()
            take = mine.recv
        else:
            theirs = getattr(context, kind)()
            take = theirs.get
        process = context.Process(target=worker, args=(kind, theirs), name="W")
        process.start()
        print(sorted(take()))
        process.join()
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("kind", ["Queue", "SimpleQueue", "JoinableQueue", "Pipe"])
def test_an_item_is_the_same_on_both_sides_of_every_channel(tools: Tools, kind: str, method: str) -> None:
    ran = tools.run(CHANNELS, kind, method)

    assert ran.stdout == "['opaque', 'rank', 'values']\n", ran.stderr
    (put,) = [one for one in ran.journals.items if one.is_put and one.rank == 1]
    (got,) = [one for one in ran.journals.items if not one.is_put and one.rank == 1]
    assert (put.channel, put.digest, put.text) == (got.channel, got.digest, got.text)
    assert put.digest is not None
    assert "'values': [1, 2.5, None]" in put.text
    assert (put.pid, got.pid) == (ran.worker("W").pid, ran.main.pid)
    assert not put.holds_traceback
    assert ran.journals.troubles == ()


def test_an_item_that_cannot_be_pickled_does_not_shift_the_next(tools: Tools, python: str) -> None:
    ran = tools.run(
        """
        import multiprocessing

        queue = multiprocessing.get_context("fork").Queue()
        queue.put(lambda: None)
        queue.put("second")
        print(queue.get(timeout=20))
        """,
        python=python,
    )

    assert ran.stdout == "second\n"
    put = {one.text: one.digest for one in ran.journals.items if one.is_put}
    assert put["<builtins.function>"] is None
    assert put["'second'"] == next(one.digest for one in ran.journals.items if not one.is_put)


def test_an_item_put_before_a_sudden_end_was_never_sent(tools: Tools) -> None:
    ran = tools.run(
        """
        import multiprocessing, os

        queue = multiprocessing.get_context("fork").Queue()
        queue._start_thread = lambda: None  # a feeder that had no time
        queue.put({"rank": 1})
        os._exit(0)
        """
    )

    (put,) = ran.journals.items
    assert (put.is_put, put.digest, put.rank) == (True, None, 1)


def test_a_full_queue_does_not_shift_the_next(tools: Tools) -> None:
    ran = tools.run(
        """
        import multiprocessing, queue

        bounded = multiprocessing.get_context("fork").Queue(1)
        bounded.put("first")
        try:
            bounded.put("refused", block=False)
        except queue.Full:
            print(bounded.get(timeout=20))
        bounded.put("third")
        print(bounded.get(timeout=20))
        """
    )

    assert ran.stdout == "first\nthird\n"
    got = [one.text for one in ran.journals.items if not one.is_put]
    assert got == ["'first'", "'third'"]


def test_a_flood_of_items_is_bounded_and_a_failure_after_it_still_told(tools: Tools) -> None:
    ran = tools.run(
        """
        import multiprocessing, traceback

        queue = multiprocessing.get_context("fork").SimpleQueue()
        for number in range(3000):
            queue.put(number)
            queue.get()
        try:
            1 / 0
        except ZeroDivisionError:
            queue.put(traceback.format_exc())
        queue.get()
        """
    )

    assert len(ran.journals.items) < 2100
    last = ran.journals.items[-1]
    assert (last.is_put, last.holds_traceback) == (False, True)
    assert last.text == "ZeroDivisionError: division by zero"


@given(
    st.recursive(
        st.none() | st.integers() | st.text() | st.binary() | st.floats(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner),
    )
)
def test_any_plain_item_has_a_bounded_text(item: object) -> None:
    text, failure, _ = items.told(item)

    assert len(text) <= 300
    assert failure is (items.TRACE in str(item) and failure)


def test_an_exception_among_the_parts_is_a_failure() -> None:
    assert items.told({"rank": 2, "error": ValueError("bad")}) == ("ValueError: bad", True, 2)
    assert items.told((0, [KeyError("x")])) == ("KeyError: 'x'", True, None)
    assert items.told({"rank": True}) == ("{'rank': True}", False, None)
