"""Bad: programs whose poll() is still None are terminated, and all their return codes are then summed up.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective
"""

import os
import subprocess
import sys


def launch(rank, world):
    env = {**os.environ, "RANK": f"{rank}", "WORLD_SIZE": f"{world}", "MASTER_ADDR": "localhost"}
    return subprocess.Popen([sys.executable, "-m", "trainer"], env=env, stderr=subprocess.PIPE)


def test_trainer():
    programs = [launch(rank, 2) for rank in range(2)]
    for program in programs:
        try:
            program.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            print("rank program is late")
    for program in programs:
        if program.poll() is None:
            program.terminate()  # <- terminate-counts-as-crash
            program.wait()
    codes = [program.returncode for program in programs]
    assert not any(codes), codes  # <- terminate-counts-as-crash
