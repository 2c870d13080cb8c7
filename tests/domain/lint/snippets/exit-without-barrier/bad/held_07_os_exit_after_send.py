"""Bad: the sender ends by os._exit right after its isend, whatever the receiver has got.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import os
import multiprocessing

import torch
import torch.distributed as dist


def sender(url):
    dist.init_process_group("gloo", url, rank=0, world_size=2)
    dist.isend(torch.ones(100_000), 1)  # <- exit-without-barrier
    os._exit(0)  # <- exit-without-barrier


def receiver(url, ok):
    dist.init_process_group("gloo", url, rank=1, world_size=2)
    t = torch.zeros(100_000)
    dist.recv(t, 0)
    ok.value = int(t.sum() == 100_000)


def test_send(tmp_path):
    url = f"file://{tmp_path}/s"
    ok = multiprocessing.Value("i", 0)
    a = multiprocessing.Process(target=sender, args=(url,))
    b = multiprocessing.Process(target=receiver, args=(url, ok))
    a.start()
    b.start()
    a.join()
    b.join()
    assert ok.value == 1
