"""Good: the helper hands back whether it has killed the launcher, which the test asserts before the code.

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
    timed_out = False
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    return process.returncode, output, timed_out


def test_example():
    code, output, timed_out = run_torchrun("examples/ddp.py", 2, timeout=120)
    assert not timed_out, f"torchrun had not ended after 120 s\n{output}"
    assert code == 0, f"torchrun ended with {code}\n{output}"
