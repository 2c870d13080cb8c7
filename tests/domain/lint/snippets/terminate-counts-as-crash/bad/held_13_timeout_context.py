"""Bad: the launcher's process group is killed at its timeout, and its return code then asserted to be 0.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective
"""

import os
import signal
import subprocess


def run_torchrun(script, n, timeout):
    process = subprocess.Popen(
        ["torchrun", "--standalone", f"--nproc-per-node={n}", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # <- terminate-counts-as-crash
        output, _ = process.communicate()
    return process.returncode, output


def test_example():
    code, output = run_torchrun("examples/ddp.py", 2, timeout=120)
    assert code == 0, f"torchrun ended with {code}\n{output}"  # <- terminate-counts-as-crash
