"""Bad: each rank checks the version of its own checkpoint between the barrier and the all_reduce.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist


def restore(path, rank):
    state = torch.load(f"{path}/rank{rank}.pt")
    if state["version"] != 3:
        raise RuntimeError(  # <- rank-local-raise-before-collective
            f"checkpoint of rank {rank} has version {state['version']}"
        )
    return state["step"]


def resume(path):
    rank = dist.get_rank()
    dist.barrier()
    step = torch.tensor(restore(path, rank))  # <- rank-local-raise-before-collective
    dist.all_reduce(step, op=dist.ReduceOp.MIN)
    return step.item()


def test_resume(tmp_path):
    torch.save({"version": 3, "step": 12}, tmp_path / "rank0.pt")
    dist.init_process_group("gloo", f"file://{tmp_path}/s", rank=0, world_size=1)
    assert resume(tmp_path) == 12
    dist.destroy_process_group()
