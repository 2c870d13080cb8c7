"""Good: the test's own process hosts the store and outlives all ranks, which may leave as they like.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing

import torch.distributed as dist


def rank_main(rank, port):
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    store.set(f"rank{rank}", "here")
    if rank == 0:
        return
    store.wait(["rank0"])


def test_ranks_arrive():
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    ranks = [multiprocessing.Process(target=rank_main, args=(rank, store.port)) for rank in range(3)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()
    assert [store.get(f"rank{i}") for i in range(3)] == [b"here"] * 3
