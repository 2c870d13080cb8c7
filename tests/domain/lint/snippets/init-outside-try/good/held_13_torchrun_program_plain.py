"""Good: a torchrun program without a reporting try: its traceback goes to stderr, which the test shows.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, no-early-exit-check
# clean: port-found-then-released, rank-local-raise-before-collective, terminate-counts-as-crash
"""

import subprocess
import sys
import textwrap

PROGRAM = textwrap.dedent(
    """
    import torch, torch.distributed as dist
    dist.init_process_group("gloo")
    t = torch.ones(1)
    dist.all_reduce(t)
    print("sum", t.item())
    dist.destroy_process_group()
    """
)


def test_program(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node=2",
        str(script),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("sum 2.0") == 2
