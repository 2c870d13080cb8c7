"""Good: TimeoutExpired kills and then fails with a message of its own, so no killed one is judged by its code.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective
"""

import subprocess
import sys

import pytest


def run_ranks(script, world):
    return [subprocess.Popen([sys.executable, script, str(rank), str(world)]) for rank in range(world)]


def test_script(tmp_path):
    script = tmp_path / "s.py"
    script.write_text("import sys; print(sys.argv)")
    ranks = run_ranks(script, 2)
    codes = []
    for number, rank in enumerate(ranks):
        try:
            rank.wait(timeout=20)
        except subprocess.TimeoutExpired:
            rank.kill()
            rank.wait()
            pytest.fail(f"rank {number} had not ended after 20 s")
        codes.append(rank.returncode)
    assert codes == [0, 0], f"return codes by rank: {codes}"
