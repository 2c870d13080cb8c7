"""An agent starts the ranks, and ends the others once one has failed.

Family: rank-exception by torchrun; the ranks are grandchildren of the test.
Expected verdict: deterministic.
Expected cause: rank-exception: rank 1 raised ZeroDivisionError in mean_of (train.py) after WORLD's
collective 1; the agent ended rank 0, or rank 0 failed by the closed connection: consequences.
Must not say: terminated-slow, the agent as the origin, not observed.
"""

import pathlib
import subprocess
import sys


def test_program_trains() -> None:
    program = pathlib.Path(__file__).with_name("train.py")
    agent = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    ended = subprocess.run([*agent, str(program)], timeout=60, check=False)
    assert ended.returncode == 0
