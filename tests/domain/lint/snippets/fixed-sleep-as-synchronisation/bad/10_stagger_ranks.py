"""Bad: a sleep between the starts lets rank 0 bind first, on a machine that is fast enough.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import os
import subprocess
import sys
import time


def launch(world):
    ranks = []
    for rank in range(world):
        env = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(world), "MASTER_PORT": "29730"}
        ranks.append(subprocess.Popen([sys.executable, "-m", "rank_program"], env=env))
        if rank == 0:
            time.sleep(2)  # <- fixed-sleep-as-synchronisation
    return ranks


def test_rank_programs():
    codes = {rank: program.wait(timeout=60) for rank, program in enumerate(launch(3))}
    assert codes == {0: 0, 1: 0, 2: 0}
