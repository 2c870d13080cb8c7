"""Traffic that no wrapper of torch.distributed's functions sees, or not all of it: torch's recorder does."""

import pytest
from probed import Tools
from torch_worlds import run

SENT = {
    "dtensor": {"scatter", "all_gather"},
    "fsdp2": {"all_gather", "all_reduce"},  # Gloo reduces and scatters by reducing
    "ddp": {"all_gather", "broadcast", "all_reduce"},
    "checkpoint": {"all_gather", "gather", "broadcast", "scatter"},
}


@pytest.mark.parametrize(
    "kind",
    ["dtensor", "fsdp2", *(pytest.param(one, marks=pytest.mark.accept) for one in ("ddp", "checkpoint"))],
)
def test_collectives_of_torchs_own_layers_are_seen_alike_on_both_ranks(tools: Tools, kind: str) -> None:
    worlds = run(tools, kind)
    world = worlds[kind]

    assert world.codes == [0, 0]
    assert worlds.ran.journals.troubles == ()
    numbers = [[(one.group, one.number, one.op) for one in world.recorded(rank)] for rank in range(2)]
    assert numbers[0] == numbers[1]
    assert {op for _, _, op in numbers[0]} == SENT[kind]
    assert len(numbers[0]) > len(world.calls(0)) or kind == "fsdp2"
    assert all(one.t_out is not None for one in world.recorded(0))
