"""Good: the script prints on rank 0 only, but torchrun's stderr holds each rank's traceback and is shown.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, port-found-then-released
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import subprocess
import sys

SCRIPT = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.eye(2)
dist.all_reduce(x)
if dist.get_rank() == 0:
    print("trace", x.trace().item())
dist.barrier()
dist.destroy_process_group()
"""


def test_trace(tmp_path):
    path = tmp_path / "trace.py"
    path.write_text(SCRIPT)
    run = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2", "--standalone", path],
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert run.returncode == 0, f"torchrun ended with {run.returncode}\n{run.stderr}"
    assert "trace 4.0" in run.stdout
