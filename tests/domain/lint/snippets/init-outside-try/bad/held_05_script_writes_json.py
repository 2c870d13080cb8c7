"""Bad: a rank program writes its traceback into a file, yet the rendezvous stands before the try.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: no-early-exit-check, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import json
import os
import pathlib
import sys
import traceback

import torch
import torch.distributed


def main() -> int:
    rank = int(os.environ["RANK"])
    out = pathlib.Path(sys.argv[1]) / f"rank{rank}.json"
    torch.distributed.init_process_group(backend="gloo")  # <- init-outside-try
    try:
        total = torch.tensor([rank])
        torch.distributed.all_reduce(total)
        out.write_text(json.dumps({"total": int(total)}))
    except Exception:
        out.write_text(json.dumps({"error": traceback.format_exc()}))
        return 1
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
