"""Good: a fixture makes a group of one in the test process itself; pytest shows its exception anyway.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import pytest
import torch
import torch.distributed as dist


@pytest.fixture
def world_of_one(tmp_path):
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/pg", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def test_reduce_is_identity(world_of_one):
    x = torch.arange(4)
    dist.all_reduce(x)
    assert x.tolist() == [0, 1, 2, 3]


def test_bad_op_is_refused(world_of_one):
    try:
        dist.all_reduce("no tensor")
    except TypeError as error:
        message = str(error)
    assert "tensor" in message.lower()
