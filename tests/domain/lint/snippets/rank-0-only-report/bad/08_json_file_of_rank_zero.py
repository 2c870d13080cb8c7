"""Bad: a rank program writes its report file on rank 0 only and swallows what the others raise.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import json
import os
import pathlib
import sys
import traceback

import torch
import torch.distributed as dist


def main():
    rank = int(os.environ["RANK"])
    report = {}
    try:
        dist.init_process_group("gloo")
        t = torch.ones(3)
        dist.all_reduce(t)
        report["sum"] = t.sum().item()
    except Exception:
        report["error"] = traceback.format_exc()
    if rank == 0:  # <- rank-0-only-report
        pathlib.Path(sys.argv[1]).write_text(json.dumps(report))  # <- rank-0-only-report


if __name__ == "__main__":
    main()
