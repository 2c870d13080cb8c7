"""Bad: the helper wait_a_bit() sleeps a constant, and tests call it after they have started a rank's thread.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import threading
import time

import pytest


def wait_a_bit():
    time.sleep(0.25)  # <- fixed-sleep-as-synchronisation


class Heartbeat(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.beats = 0

    def run(self):
        self.beats += 1


@pytest.fixture
def heartbeat():
    thread = Heartbeat()
    thread.start()
    return thread


def test_beats_once(heartbeat):
    wait_a_bit()  # <- fixed-sleep-as-synchronisation
    assert heartbeat.beats == 1
