"""Bad: the first try only closes a file, the reporting one comes after init.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp
import os
import traceback

import torch
import torch.distributed as dist


def participant(rank, total, mailbox, log_path):
    log = open(log_path + str(rank), "w")
    try:
        print("starting", os.getpid(), file=log)
        dist.init_process_group("gloo", rank=rank, world_size=total)  # <- init-outside-try
    finally:
        log.close()
    try:
        x = torch.ones(2) * (rank + 1)
        dist.all_reduce(x, op=dist.ReduceOp.MAX)
        mailbox.put({"rank": rank, "max": x.max().item()})
    except Exception:
        mailbox.put({"rank": rank, "trace": traceback.format_exc()})


def test_max(tmp_path, monkeypatch):
    monkeypatch.setenv("MASTER_ADDR", "127.0.0.1")
    monkeypatch.setenv("MASTER_PORT", "24100")
    mailbox = mp.JoinableQueue()
    children = [mp.Process(target=participant, args=(r, 3, mailbox, str(tmp_path / "log"))) for r in range(3)]
    for child in children:
        child.start()
    answers = [mailbox.get(timeout=40) for _ in children]
    assert [a["max"] for a in answers] == [3.0, 3.0, 3.0], answers
