"""Two threads take two locks, each the other one first.

Family: deadlock in the test's own process, no rank anywhere.
Expected verdict: deterministic.
Expected cause: deadlock: thread "writer" holds one lock and waits for the other, thread "reader" the
other way round.
Must not say: slow, a timeout as the cause.
"""

import threading


def _take(first: threading.Lock, second: threading.Lock, both: threading.Barrier) -> None:
    with first:
        both.wait()
        with second:
            pass


def test_readers_and_writers() -> None:
    index, rows, both = threading.Lock(), threading.Lock(), threading.Barrier(2)
    reader = threading.Thread(target=_take, args=(index, rows, both), name="reader", daemon=True)
    writer = threading.Thread(target=_take, args=(rows, index, both), name="writer", daemon=True)
    for thread in (reader, writer):
        thread.start()
    for thread in (reader, writer):
        thread.join(timeout=1.5)
    assert [reader.is_alive(), writer.is_alive()] == [False, False]
