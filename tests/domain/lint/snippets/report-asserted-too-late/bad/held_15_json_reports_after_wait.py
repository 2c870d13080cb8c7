"""Bad: the rank programs' JSON reports are opened only if all return codes have passed.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import json
import os
import subprocess
import sys


def start(rank, world, folder):
    env = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(world), REPORTS=str(folder))
    return subprocess.Popen([sys.executable, "tests/programs/allreduce.py"], env=env)


def test_allreduce_program(tmp_path):
    world = 2
    programs = [start(rank, world, tmp_path) for rank in range(world)]
    for rank, program in enumerate(programs):
        code = program.wait(timeout=100)
        assert code == 0, f"rank {rank} ended with {code}"  # <- report-asserted-too-late
    for rank in range(world):
        report = json.loads((tmp_path / f"report-{rank}.json").read_text())
        assert report["error"] is None, f"rank {rank}: {report['error']}"
        assert report["value"] == 2.0
