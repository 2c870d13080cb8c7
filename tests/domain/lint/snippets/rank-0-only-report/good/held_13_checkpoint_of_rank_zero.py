"""Good: rank 0 alone puts into a thread's save queue, no report; failures are raised through mp.spawn.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, port-found-then-released
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import queue
import threading

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def _writer(pending):
    for state, path in iter(pending.get, None):
        torch.save(state, path)


def train(rank, world_size, folder):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29553", rank=rank, world_size=world_size)
    pending = queue.Queue()
    saver = threading.Thread(target=_writer, args=(pending,))
    saver.start()
    weight = torch.ones(2)
    dist.all_reduce(weight)
    if rank == 0:
        pending.put((weight, folder / "w.pt"))
    pending.put(None)
    saver.join()
    dist.barrier()
    dist.destroy_process_group()


def test_saved(tmp_path):
    mp.spawn(train, args=(2, tmp_path), nprocs=2)
    assert torch.load(tmp_path / "w.pt").tolist() == [2.0, 2.0]
