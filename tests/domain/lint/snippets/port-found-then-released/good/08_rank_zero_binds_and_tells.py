"""Good: rank 0 lets its store bind to 0 and tells the number through a pipe while it holds it.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, rank-0-only-report, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp

import torch.distributed as dist


def host(conn):
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    conn.send(store.port)
    store.wait(["done"])
    conn.recv()


def test_other_process_hosts():
    ctx = mp.get_context("spawn")
    ours, theirs = ctx.Pipe()
    process = ctx.Process(target=host, args=(theirs,))
    process.start()
    theirs.close()
    port = ours.recv()
    client = dist.TCPStore("127.0.0.1", port, is_master=False)
    client.set("done", "yes")
    ours.send("end")
    process.join()
    assert process.exitcode == 0, process.exitcode
