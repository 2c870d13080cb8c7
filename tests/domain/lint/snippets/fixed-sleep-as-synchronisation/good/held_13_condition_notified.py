"""Good: join() on the saver's queue is the waiting, the sleep slows the writer down.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import queue
import threading
import time

import torch


class AsyncSaver:
    def __init__(self, delay_s=0.0):
        self.pending = queue.Queue()
        self.delay_s = delay_s
        threading.Thread(target=self._write, daemon=True).start()

    def save(self, state, path):
        self.pending.put((state, path))

    def _write(self):
        while True:
            state, path = self.pending.get()
            time.sleep(self.delay_s)
            torch.save(state, path)
            self.pending.task_done()


class TestAsyncSaver:
    def test_save(self, tmp_path):
        saver = AsyncSaver(delay_s=0.1)
        saver.save({"step": 3}, tmp_path / "s.pt")
        saver.pending.join()
        assert torch.load(tmp_path / "s.pt") == {"step": 3}
