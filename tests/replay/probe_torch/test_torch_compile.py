"""A compiled graph around a wrapped collective, and what else looks at the functions themselves."""

import sys

from probed import Tools

GRAPHS = """
    import inspect, os, pickle, warnings
    import torch
    import torch.distributed as dist
    from torch.distributed import all_reduce

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)

    def reduced(value):
        doubled = value * 2
        dist.all_reduce(doubled)
        all_reduce(doubled, op=dist.ReduceOp.MAX)
        return doubled + 1

    def broken(value):
        dist.broadcast(value * 2, 0)
        return value + 1

    print(torch.compile(reduced, fullgraph=True, backend="eager")(torch.ones(2)).tolist())
    compiled = torch.compile(broken, backend="eager")
    print([compiled(torch.ones(2)).tolist() for _ in range(2)])
    from torch._dynamo.utils import counters
    print(counters["frames"]["ok"] <= 4)
    print(pickle.loads(pickle.dumps(all_reduce)) is dist.all_reduce is dist.distributed_c10d.all_reduce)
    print(list(inspect.signature(all_reduce).parameters))
    dist.destroy_process_group()
"""


def test_a_wrapped_collective_stays_in_one_graph(tools: Tools) -> None:
    ran = tools.run(GRAPHS)

    assert ran.code == 0, ran.stderr
    assert ran.stdout.splitlines() == [
        "[3.0, 3.0]",
        "[[2.0, 2.0], [2.0, 2.0]]",
        "True",
        "True",
        "['tensor', 'op', 'group', 'async_op']",
    ]
    assert "flake_triage" not in ran.stderr
    assert [one.op for one in ran.journals.collectives if one.site and one.site.function == "broken"][:1] == [
        "broadcast"
    ]


def test_torch_imported_before_the_probe_is_wrapped_all_the_same(tools: Tools) -> None:
    script = """
        import sys
        import torch, torch.distributed as dist, torch.distributed._functional_collectives as functional
        sys.path.insert(0, sys.argv[1])
        from flake_triage_probe.install import begin
        print(begin())
        print(dist.all_reduce is dist.distributed_c10d.all_reduce)
        print(dist.all_reduce in functional.traceable_collective_remaps)
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        dist.all_reduce(torch.ones(1))
        """
    without_way_in = {name: value for name, value in tools.environment().items() if name != "PYTHONPATH"}
    written = tools.write(script)

    ran = tools.ran([sys.executable, str(written), str(tools.folder)], without_way_in)

    assert ran.stdout.splitlines() == ["True", "True", "True"], ran.stderr
    assert [one.op for one in ran.journals.collectives][:1] == ["all_reduce"]
