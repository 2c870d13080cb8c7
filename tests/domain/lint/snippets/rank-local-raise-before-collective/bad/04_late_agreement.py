"""Bad: the try is around the whole search, whose own collective precedes the agreement: too late.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist


class Planner:
    def __init__(self, group):
        self.group = group

    def _cost(self, microbatch):
        if microbatch <= 0:
            raise ValueError("a microbatch needs at least one row")  # <- rank-local-raise-before-collective
        return 100 / microbatch

    def _search(self, microbatch):
        cost = torch.tensor(self._cost(microbatch))  # <- rank-local-raise-before-collective
        dist.all_reduce(cost, op=dist.ReduceOp.MAX, group=self.group)
        return cost.item()

    def plan(self, microbatch):
        dist.barrier(group=self.group)
        error = None
        best = None
        try:
            best = self._search(microbatch)  # <- rank-local-raise-before-collective
        except ValueError as exc:
            error = exc
        ok = torch.tensor(int(error is None))
        dist.all_reduce(ok, op=dist.ReduceOp.MIN, group=self.group)
        if not ok:
            raise RuntimeError("planning failed on a rank") from error
        return best


def test_plan(tmp_path):
    dist.init_process_group("gloo", f"file://{tmp_path}/p", rank=0, world_size=1)
    assert Planner(None).plan(4) == 25
    dist.destroy_process_group()
