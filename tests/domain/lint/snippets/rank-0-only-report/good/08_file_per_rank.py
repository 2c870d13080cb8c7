"""Good: every rank writes a report file of its own, by an f-string with its rank.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, port-found-then-released
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
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
    pathlib.Path(sys.argv[1], f"rank-{rank}.json").write_text(json.dumps(report))
    if rank == 0:
        print(json.dumps(report))


if __name__ == "__main__":
    main()
