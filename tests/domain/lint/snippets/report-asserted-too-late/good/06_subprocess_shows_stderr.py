"""Good: the assertion on the return code carries the program's stderr, the later one is on its output.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, terminate-counts-as-crash
"""

import subprocess
import sys


def test_programs(tmp_path):
    programs = [
        subprocess.Popen(
            [sys.executable, "-m", "rank_program", str(rank)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    for rank, program in enumerate(programs):
        out, err = program.communicate(timeout=60)
        assert program.returncode == 0, f"rank {rank} ended with {program.returncode}:\n{err}"
        assert "Traceback" not in err, err
        assert out.strip() == "done"
