"""Bad: TimeoutExpired leads to kill(), and the return code of the killed one counts as a crash.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective
"""

import subprocess
import sys


def run_ranks(script, world):
    return [subprocess.Popen([sys.executable, script, str(rank), str(world)]) for rank in range(world)]


def test_script(tmp_path):
    script = tmp_path / "s.py"
    script.write_text("import sys; print(sys.argv)")
    ranks = run_ranks(script, 2)
    codes = []
    for rank in ranks:
        try:
            rank.wait(timeout=20)
        except subprocess.TimeoutExpired:
            rank.kill()  # <- terminate-counts-as-crash
            rank.wait()
        codes.append(rank.returncode)
    assert codes == [0, 0], f"return codes by rank: {codes}"  # <- terminate-counts-as-crash
