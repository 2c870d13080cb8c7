"""Bad: the coordinator program "needs about three seconds" before the clients are started.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late
"""

import subprocess
import sys
from time import sleep

import pytest

STARTUP_S = 3


@pytest.fixture
def coordinator():
    process = subprocess.Popen([sys.executable, "-m", "coordinator", "--port", "19001"])
    sleep(STARTUP_S)  # <- fixed-sleep-as-synchronisation
    yield process
    process.terminate()
    process.wait()


def test_client(coordinator):
    done = subprocess.run(
        [sys.executable, "-m", "client", "19001"], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
