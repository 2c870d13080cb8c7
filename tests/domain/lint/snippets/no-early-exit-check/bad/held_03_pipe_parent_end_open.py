"""Bad: recv() on a pipe whose writing end stays open in the parent never learns of the child's death.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import multiprocessing
import traceback


def child(conn, path):
    try:
        conn.send(("size", len(path.read_bytes())))
    except Exception:
        conn.send(("error", traceback.format_exc()))


def test_size(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"12345")
    parent_conn, child_conn = multiprocessing.Pipe()
    p = multiprocessing.Process(target=child, args=(child_conn, path))
    p.start()
    answer = parent_conn.recv()  # <- no-early-exit-check
    p.join()
    assert answer == ("size", 5), answer[1]
