"""Bad: the exception is sent through the pipe only when it is raised after the group has come up.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import multiprocessing
from datetime import timedelta

from torch.distributed import all_reduce, destroy_process_group, init_process_group
import torch


def child(conn, local_rank, n, file_name):
    torch.manual_seed(0)
    init_process_group(  # <- init-outside-try
        "gloo",
        init_method=f"file://{file_name}",
        rank=local_rank,
        world_size=n,
        timeout=timedelta(seconds=20),
    )
    try:
        t = torch.full((2,), float(local_rank))
        all_reduce(t)
        conn.send(("ok", t.sum().item()))
    except Exception as exc:
        conn.send(("error", repr(exc)))
    destroy_process_group()


def test_all_reduce_over_pipes(tmp_path):
    pairs = [multiprocessing.Pipe(duplex=False) for _ in range(2)]
    workers = [
        multiprocessing.Process(target=child, args=(w, i, 2, tmp_path / "rdzv"))
        for i, (_, w) in enumerate(pairs)
    ]
    for worker in workers:
        worker.start()
    answers = [r.recv() for r, _ in pairs]
    assert [kind for kind, _ in answers] == ["ok", "ok"], answers
