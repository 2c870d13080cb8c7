"""Good: the parent closes its copy of the writer, so recv() raises EOFError as soon as the child is gone.

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
    ctx = multiprocessing.get_context("spawn")
    reader, writer = ctx.Pipe(duplex=False)
    p = ctx.Process(target=child, args=(writer, path))
    p.start()
    writer.close()
    answer = reader.recv()
    p.join()
    assert answer == ("size", 5), answer[1]
