"""Bad: a Manager's queue lives in a third process, so its get notices no worker's death either.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

from torch import multiprocessing as tmp
import torch
import traceback


def entry(i, inbox):
    try:
        torch.manual_seed(i)
        inbox.put((i, torch.rand(2).tolist()))
    except Exception:
        inbox.put((i, traceback.format_exc()))


class TestSeeds:
    def start(self, n):
        self.manager = tmp.Manager()
        self.inbox = self.manager.Queue()
        self.workers = [tmp.Process(target=entry, args=(i, self.inbox)) for i in range(n)]
        for worker in self.workers:
            worker.start()

    def test_two_seeds_differ(self):
        self.start(2)
        a = self.inbox.get()  # <- no-early-exit-check
        b = self.inbox.get()  # <- no-early-exit-check
        for worker in self.workers:
            worker.join()
        assert a[1] != b[1]
