"""Bad: every worker has a pipe to send on, and only the first one's is received from.

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
    finally:
        connection.close()


def test_division():
    readers, workers = [], []
    for value in (5, 2, 4):
        reader, writer = mp.Pipe(duplex=False)
        worker = mp.Process(target=_target, args=(writer, value))
        worker.start()
        writer.close()
        readers.append(reader)
        workers.append(worker)
    kind, answer = readers[0].recv()  # <- one-item-drained
    for worker in workers:
        worker.join()
    assert (kind, answer) == ("value", 20)
