"""Bad: the trainer's test sleeps until its background writer "must be done".

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import queue
import threading
import time

import torch


class AsyncSaver:
    def __init__(self):
        self.pending = queue.Queue()
        threading.Thread(target=self._write, daemon=True).start()

    def save(self, state, path):
        self.pending.put((state, path))

    def _write(self):
        while True:
            state, path = self.pending.get()
            torch.save(state, path)


class TestAsyncSaver:
    def test_save(self, tmp_path):
        saver = AsyncSaver()
        saver.save({"step": 3}, tmp_path / "s.pt")
        time.sleep(2.0)  # <- fixed-sleep-as-synchronisation
        assert torch.load(tmp_path / "s.pt") == {"step": 3}
