"""Bad: socket.create_server on port 0 is closed again at the end of the with.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import socket
import subprocess
import sys


def pick_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:  # <- port-found-then-released
        port = listener.getsockname()[1]  # <- port-found-then-released
    return port  # <- port-found-then-released


def test_torchrun(tmp_path):
    script = tmp_path / "s.py"
    script.write_text("import torch.distributed as d; d.init_process_group('gloo')")
    command = ["torchrun", "--nproc-per-node=2", f"--master-port={pick_port()}", str(script)]
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
