"""Good: a world of one: there is nobody else who could need it.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import pytest
import torch
import torch.distributed as dist


@pytest.fixture
def group():
    dist.init_process_group("gloo", "tcp://127.0.0.1:29663", rank=0, world_size=1)
    yield dist.group.WORLD
    dist.destroy_process_group()


def test_own_rank(group):
    assert dist.get_rank(group) == 0


def test_reduce_changes_nothing(group):
    x = torch.arange(3)
    dist.reduce(x, dst=0, group=group)
    assert x.tolist() == [0, 1, 2]
