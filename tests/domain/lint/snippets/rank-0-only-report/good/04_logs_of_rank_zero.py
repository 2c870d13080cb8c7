"""Good: rank 0 alone prints and saves, which is no report; all ranks send theirs by their pipes.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing
import traceback

import torch
import torch.distributed as dist


def child(rank, size, conn, folder):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29544", rank=rank, world_size=size)
        value = torch.arange(4) + rank
        dist.all_reduce(value)
        if rank == 0:
            print("sum:", value)
            torch.save(value, folder / "value.pt")
        dist.barrier()
        conn.send(("value", value.tolist()))
    except Exception:
        conn.send(("error", traceback.format_exc()))


def test_all_reduce(tmp_path):
    readers = []
    for rank in range(2):
        reader, writer = multiprocessing.Pipe(duplex=False)
        multiprocessing.Process(target=child, args=(rank, 2, writer, tmp_path)).start()
        writer.close()
        readers.append(reader)
    assert [reader.recv() for reader in readers] == [("value", [1, 3, 5, 7])] * 2
    assert (tmp_path / "value.pt").exists()
