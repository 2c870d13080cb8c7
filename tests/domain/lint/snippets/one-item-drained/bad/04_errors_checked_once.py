"""Bad: every failing worker puts an error, but the parent looks at one of three only.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing
import traceback


def _check(index, errors):
    try:
        table = {i: i * 3 for i in range(10)}
        assert table[index] == index * 3
        errors.put(None)
    except Exception:
        errors.put(f"worker {index}: {traceback.format_exc()}")


class TestTable:
    workers = 3

    def test_all_workers_agree(self):
        errors = multiprocessing.Queue()
        children = [multiprocessing.Process(target=_check, args=(i, errors)) for i in range(self.workers)]
        for child in children:
            child.start()
        error = errors.get(timeout=60)  # <- one-item-drained
        for child in children:
            child.join()
        assert error is None, error
