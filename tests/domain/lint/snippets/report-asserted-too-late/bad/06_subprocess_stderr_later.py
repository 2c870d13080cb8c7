"""Bad: the programs' error files are asserted on after their return codes.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective
"""

import subprocess
import sys

import pytest


@pytest.fixture
def programs(tmp_path):
    started = []
    for rank in range(2):
        with open(tmp_path / f"{rank}.err", "w") as stderr:
            started.append(subprocess.Popen([sys.executable, "-m", "rank_program", str(rank)], stderr=stderr))
    yield started
    for program in started:
        program.kill()


def test_programs(programs, tmp_path):
    for program in programs:
        program.wait(timeout=60)
    assert [program.returncode for program in programs] == [0, 0]  # <- report-asserted-too-late
    for rank in range(2):
        error = (tmp_path / f"{rank}.err").read_text()
        assert "Traceback" not in error, f"rank {rank}:\n{error}"
