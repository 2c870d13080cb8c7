"""Good: rank 0 prints the result, and the output of each rank program is kept and shown with its number.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, port-found-then-released
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import os
import subprocess
import sys

PROGRAM = "import rank_program; rank_program.main()"


def _start(rank, world):
    env = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(world), "MASTER_PORT": "29555"}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def test_world_of_two():
    programs = [_start(rank, 2) for rank in range(2)]
    outputs = [program.communicate(timeout=60)[0] for program in programs]
    for rank, program in enumerate(programs):
        assert program.returncode == 0, f"rank {rank} ended with {program.returncode}:\n{outputs[rank]}"
    assert "loss" in outputs[0]
