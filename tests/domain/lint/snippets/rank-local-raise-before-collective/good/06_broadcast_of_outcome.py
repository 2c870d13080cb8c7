"""Good: rank 0 alone works, and what came of it, error included, is what it broadcasts to all.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, one-item-drained, port-found-then-released, rank-0-only-report
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import os

import torch.distributed as dist


def read_config(text):
    values = dict(line.split("=") for line in text.splitlines())
    if "lr" not in values:
        raise KeyError("lr")
    return float(values["lr"])


def configure(text):
    dist.barrier()
    outcome = [None, None]
    if dist.get_rank() == 0:
        try:
            outcome[0] = read_config(text)
        except Exception as error:
            outcome[1] = repr(error)
    dist.broadcast_object_list(outcome, src=0)
    lr, error = outcome
    if error is not None:
        raise RuntimeError(f"rank 0 could not read the configuration: {error}")
    dist.barrier()
    return lr


def main():
    dist.init_process_group("gloo")
    print(configure(os.environ.get("CONFIG", "lr=0.1")))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
