"""Good: every worker has a queue of its own, and each one is read once.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp

import torch
import torch.distributed as dist


def _entry(rank, world_size, url, mailbox):
    dist.init_process_group("gloo", init_method=url, rank=rank, world_size=world_size)
    t = torch.tensor([float(rank)])
    dist.all_reduce(t)
    mailbox.put(t.item())
    dist.destroy_process_group()


def test_mailboxes(tmp_path):
    ctx = mp.get_context("spawn")
    mailboxes = [ctx.Queue() for _ in range(2)]
    procs = []
    for rank, mailbox in enumerate(mailboxes):
        proc = ctx.Process(target=_entry, args=(rank, 2, f"file://{tmp_path}/u", mailbox))
        proc.start()
        procs.append(proc)
    values = [mailbox.get(timeout=60) for mailbox in mailboxes]
    for proc in procs:
        proc.join()
    assert values == [1.0, 1.0]
