"""Good: the rank program's main() has no try, but the guard that calls it writes the traceback down.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import os
import pathlib
import sys
import traceback

import torch
import torch.distributed as dist


def main(rank):
    dist.init_process_group(backend="gloo")
    ones = torch.ones(8)
    dist.all_reduce(ones)
    dist.barrier()
    dist.destroy_process_group()
    return ones.mean().item()


if __name__ == "__main__":
    rank = int(os.environ.get("RANK", "0"))
    report = pathlib.Path(os.environ["REPORT_DIR"], f"{rank}.txt")
    try:
        report.write_text(str(main(rank)))
    except Exception:
        report.write_text(traceback.format_exc())
        sys.exit(1)
