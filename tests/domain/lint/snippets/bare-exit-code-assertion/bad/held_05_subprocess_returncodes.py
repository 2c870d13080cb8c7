"""Bad: the return codes of the rank programs disappear in all().

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import os
import subprocess
import sys


def start(rank, world):
    env = dict(
        os.environ, RANK=str(rank), WORLD_SIZE=str(world), MASTER_ADDR="localhost", MASTER_PORT="29625"
    )
    return subprocess.Popen([sys.executable, "-m", "examples.allreduce"], env=env)


def test_example():
    programs = [start(rank, 2) for rank in range(2)]
    for program in programs:
        program.wait()
    assert all(program.returncode == 0 for program in programs)  # <- bare-exit-code-assertion
