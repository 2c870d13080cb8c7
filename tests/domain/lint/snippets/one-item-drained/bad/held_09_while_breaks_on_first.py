"""Bad: the loop polls until there is a first item, and breaks with the rest unread.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing
import queue as stdlib_queue
import traceback


def _load(rank, path, reports):
    try:
        with open(path) as f:
            reports.put((rank, len(f.read()), None))
    except OSError:
        reports.put((rank, 0, traceback.format_exc()))


def test_everyone_reads(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("abc")
    reports = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=_load, args=(r, path, reports)) for r in range(3)]
    for w in workers:
        w.start()
    report = None
    while any(w.is_alive() for w in workers) or report is None:
        try:
            report = reports.get(timeout=0.5)  # <- one-item-drained
            break
        except stdlib_queue.Empty:
            continue
    for w in workers:
        w.join()
    assert report[1] == 3
    assert report[2] is None
