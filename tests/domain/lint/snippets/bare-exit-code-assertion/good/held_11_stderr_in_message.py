"""Good: one program only; its code and its stderr are in the message.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import subprocess
import sys


def test_module_runs():
    done = subprocess.run([sys.executable, "-c", "print('fine')"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"ended with {done.returncode}\n{done.stderr}"
    assert done.stdout == "fine\n"
