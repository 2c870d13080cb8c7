"""A child that starts without anything of the environment.

Family: finding not-observed.
Expected verdict: not reproduced.
Expected cause: none; the finding names the child.
Must not say: a failure.
"""

import subprocess
import sys


def test_child_answers() -> None:
    answer = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "print(7 * 6)"], capture_output=True, check=True
    )
    assert int(answer.stdout) == 42
