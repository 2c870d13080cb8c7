"""Good: every pipe is received from.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp
import traceback


def _target(connection, value):
    try:
        connection.send(("value", 100 // value))
    except ZeroDivisionError:
        connection.send(("error", traceback.format_exc()))


def test_division():
    readers, workers = [], []
    for value in (5, 2, 4):
        reader, writer = mp.Pipe(duplex=False)
        worker = mp.Process(target=_target, args=(writer, value))
        worker.start()
        writer.close()
        readers.append(reader)
        workers.append(worker)
    answers = []
    for reader in readers:
        answers.append(reader.recv())
    for worker in workers:
        worker.join()
    assert answers == [("value", 20), ("value", 50), ("value", 25)]
