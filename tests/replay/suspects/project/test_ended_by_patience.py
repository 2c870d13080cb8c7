"""A program is given two seconds.

Family: terminated-slow by a program of its own, without torch; ended by SIGKILL, whose sender is known.
Expected verdict: deterministic.
Expected cause: terminated-slow: the test ended the program, which was still computing in crunch, after 2
s.
Must not say: killed for memory, a crash, deadlock.
"""

import pathlib
import subprocess
import sys


def test_program_is_done() -> None:
    program = pathlib.Path(__file__).with_name("crunch.py")
    assert subprocess.run([sys.executable, str(program)], timeout=2, check=False).returncode == 0
