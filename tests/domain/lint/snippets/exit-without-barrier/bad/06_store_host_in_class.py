"""Bad: the coordinator's process ends with its `publish`, and its store with it.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp

from torch.distributed import TCPStore


class Coordinator:
    def __init__(self, port):
        self.store = TCPStore("localhost", port, None, True, wait_for_workers=False)

    def publish(self, shards):
        for i, shard in enumerate(shards):
            self.store.set(f"shard{i}", shard)  # <- exit-without-barrier


def coordinate(port):
    Coordinator(port).publish(["0-9", "10-19"])  # <- exit-without-barrier


def follow(port, index):
    store = TCPStore("localhost", port, None, False)
    assert store.get(f"shard{index}").decode().count("-") == 1


def test_shards():
    ctx = mp.get_context("spawn")
    processes = [ctx.Process(target=coordinate, args=(29656,))]
    processes += [ctx.Process(target=follow, args=(29656, i)) for i in range(2)]
    for p in processes:
        p.start()
    for p in processes:
        p.join()
    assert [p.exitcode for p in processes] == [0, 0, 0]
