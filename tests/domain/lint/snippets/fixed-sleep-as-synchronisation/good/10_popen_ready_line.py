"""Good: the program's own "ready" line is waited for; the sleep paces the looks at whether it has ended.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import subprocess
import sys
import time

CODE = "print('ready', flush=True); input()"


def wait_for_end(process, limit_s=10):
    deadline = time.monotonic() + limit_s
    while process.poll() is None:
        assert time.monotonic() < deadline, "the program has not ended"
        time.sleep(0.02)
    return process.returncode


def test_program():
    process = subprocess.Popen(
        [sys.executable, "-c", CODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    process.stdin.write("\n")
    process.stdin.flush()
    code = wait_for_end(process)
    assert code == 0, f"the program ended with {code}"
