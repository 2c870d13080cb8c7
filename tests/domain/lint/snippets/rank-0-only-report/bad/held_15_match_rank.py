"""Bad: a match on the rank reports in the case of 0, and the other case says `pass`.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing

import torch
import torch.distributed as dist


def participant(rank, world, mailbox):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29555", rank=rank, world_size=world)
    t = torch.full((2,), rank)
    dist.broadcast(t, src=1)
    match rank:
        case 0:  # <- rank-0-only-report
            mailbox.put(t.tolist())  # <- rank-0-only-report
        case _:
            pass
    dist.barrier()
    dist.destroy_process_group()


def test_broadcast():
    mailbox = multiprocessing.Queue()
    people = [multiprocessing.Process(target=participant, args=(rank, 2, mailbox)) for rank in range(2)]
    for person in people:
        person.start()
    assert mailbox.get(timeout=30) == [1, 1]
    for person in people:
        person.join()
