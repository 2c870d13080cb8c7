"""Bad: the codes are in a list, but the assertion shows only what all() makes of it.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import subprocess
import sys

CODE = "import sys; sys.exit(int(sys.argv[1]) > 5)"


def run_codes(n):
    programs = [subprocess.Popen([sys.executable, "-c", CODE, str(rank)]) for rank in range(n)]
    return [program.wait(timeout=60) for program in programs]


def test_programs_end_well():
    return_codes = run_codes(3)
    assert all(code == 0 for code in return_codes), "some ranks failed"  # <- bare-exit-code-assertion
