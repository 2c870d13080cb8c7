"""Collectives that only some ranks reach, and those that merely look so."""

from textwrap import dedent, indent

import pytest
from marked import assert_marked, found

from app.domain.lint.finding import Rule

RULE = Rule.COLLECTIVE_UNDER_RANK_CONDITION

WEAK = {
    "a barrier under the rank": """
        def run(rank):
            dist.init_process_group("gloo", rank=rank, world_size=2)
            if rank == 0:
                torch.save({}, "x")
                dist.barrier()  # <-
            dist.destroy_process_group()
        def test_run():
            mp.spawn(run, nprocs=2)
    """,
    "a return before it": """
        from torch.distributed import all_reduce as ar
        def run(rank):
            dist.init_process_group("gloo", rank=rank, world_size=2)
            if not rank == 0:
                return
            ar(torch.ones(1))  # <-
    """,
    "an exit before it": """
        def main():
            rank = int(os.environ.get("RANK", 0))
            dist.init_process_group("gloo")
            is_main = rank == 0
            if not is_main:
                sys.exit(0)
            dist.barrier()  # <-
        if __name__ == "__main__":
            main()
    """,
    "a round that one rank leaves out": """
        def run(rank):
            for step in range(3):
                if rank == 1 and step == 2:
                    continue
                dist.all_reduce(torch.ones(1))  # <-
    """,
    "as many rounds as the rank": """
        def run(rank):
            for _ in range(rank + 1):
                dist.barrier()  # <-
    """,
    "as many rounds as the rank in a comprehension": """
        def run(rank):
            return [dist.barrier() for _ in range(rank)]  # <-
    """,
    "another order on the other branch": """
        def run(rank):
            x = torch.ones(1)
            if rank == 0:
                dist.all_reduce(x)  # <-
                dist.broadcast(x, 0)
            else:
                dist.broadcast(x, 0)
                dist.all_reduce(x)
    """,
    "one more on one branch": """
        def run(rank):
            x = torch.ones(1)
            if rank < 1:
                dist.all_reduce(x)
                dist.barrier()  # <-
            else:
                dist.all_reduce(x)
    """,
    "in an expression": """
        class Trainer:
            def __init__(self):
                self.rank = dist.get_rank()
            @property
            def is_main(self):
                return self.rank == 0
            def end(self):
                self.is_main and dist.barrier()  # <-
                dist.all_reduce(torch.ones(1)) if not self.is_main else None  # <-
                self.is_main or torch.ones(1)
    """,
    "by a match": """
        def run(rank):
            match rank:
                case 0:
                    dist.new_group([0])  # <-
                case _:
                    pass
    """,
    "through a helper that runs a function on the main rank": """
        def on_main(work):
            if dist.get_rank() == 0:
                work()
        def sync():
            dist.barrier()  # <-
        def run(rank):
            on_main(sync)
    """,
    "a set of ranks": """
        def run(rank):
            if rank in (0, 1):
                dist.barrier()  # <-
            if rank not in [0, 1]:
                pass
    """,
    "methods that imply one": """
        import torch.distributed.checkpoint as dcp
        from torch.distributed.tensor import DTensor, distribute_tensor
        def run(rank, state):
            if rank == 0:
                state.full_tensor()  # <-
        def save(rank, state):
            if rank == 0:
                dcp.save(state, checkpoint_id="x")  # <-
        def share(rank, mesh):
            if rank == 0:
                distribute_tensor(torch.ones(2), mesh)  # <-
    """,
    "the whole group by name": """
        def run(rank):
            if rank == 0:
                dist.barrier(group=dist.group.WORLD)  # <-
        def again(rank):
            everyone = dist.new_group()
            if rank == 0:
                dist.barrier(everyone)  # <-
        def none(rank, group=None):
            if rank == 0:
                dist.barrier(group)  # <-
        def test_none():
            none(0)
    """,
}


@pytest.mark.parametrize("body", WEAK.values(), ids=WEAK)
def test_collective_that_only_some_ranks_reach_is_found(body: str) -> None:
    assert_marked(RULE, body)


HEALTHY = {
    "the same on both branches": """
        def run(rank):
            x = torch.ones(1)
            if rank == 0:
                x += 1
                dist.broadcast(x, 0)
            else:
                dist.broadcast(x, 0)
            dist.barrier()
    """,
    "preparation only": """
        def run(rank, src):
            if dist.get_rank() == src:
                x = torch.ones(1)
            else:
                x = torch.empty(1)
            dist.broadcast(x, src)
    """,
    "a subgroup that the condition selects": """
        def run(rank):
            ranks = [0, 1]
            sub = dist.new_group(ranks)
            if rank in ranks:
                dist.all_reduce(torch.ones(1), group=sub)
            dist.barrier()
    """,
    "a subgroup from a function": """
        def groups(rank):
            if rank > 1:
                return None
            return dist.new_group([0, 1], use_local_synchronization=True)
        def run(rank):
            if rank < 2:
                dist.barrier(groups(rank))
    """,
    "messages between two": """
        def run(rank):
            x = torch.ones(1)
            if rank == 0:
                dist.send(x, 1)
            elif rank == 1:
                dist.recv(x, 0)
            dist.barrier()
    """,
    "first the main rank, then the others": """
        def run(rank):
            if rank != 0:
                dist.barrier()
            if rank == 0:
                dist.barrier()
    """,
    "first the main rank, in a manager": """
        import contextlib
        @contextlib.contextmanager
        def main_first(is_main):
            if not is_main:
                dist.barrier()
            yield
            if is_main:
                dist.barrier()
        def run():
            with main_first(dist.get_rank() == 0):
                torch.load("x")
    """,
    "ranks that never join": """
        def run(rank, world_size):
            if rank > 3:
                return
            dist.init_process_group("gloo", rank=rank, world_size=world_size)
            dist.barrier()
    """,
    "a raise on one branch": """
        def run(rank):
            if rank == 0:
                raise ValueError(rank)
            dist.barrier()
    """,
    "a value that was agreed on": """
        def run(rank):
            found = [rank]
            dist.broadcast_object_list(found, 0)
            if found[0] is None:
                return
            dist.barrier()
            state = {"x": torch.ones(1)}
            dist.all_reduce(state["x"])
            if state["x"] > 1:
                dist.barrier()
    """,
    "rounds of the same number": """
        def run(rank, world_size):
            for source in range(world_size):
                x = torch.ones(1) if source == rank else torch.zeros(1)
                dist.broadcast(x, source)
    """,
    "expected to fail": """
        def run(rank):
            if rank == 0:
                with pytest.raises(RuntimeError):
                    dist.monitored_barrier()
    """,
    "without a group": """
        import torch.distributed.checkpoint as dcp
        def run(rank, state):
            if rank == 0:
                dcp.save(state, checkpoint_id="x", no_dist=True)
                torch.gather(state, 0, state)
                torch.cuda.synchronize()
    """,
    "an argument that spawn gives to all ranks alike, from a loop around it": """
        def run(rank, is_wrapped):
            dist.init_process_group("gloo", rank=rank, world_size=2)
            model = Wrapped(net) if is_wrapped else DistributedDataParallel(net)
            dist.barrier()
        def test_run():
            for is_wrapped in [True, False]:
                mp.spawn(run, args=(is_wrapped,), nprocs=2)
    """,
    "an argument of all processes of one group, from a loop around theirs": """
        def run(rank, is_wrapped):
            dist.init_process_group("gloo", rank=rank, world_size=2)
            if is_wrapped:
                dist.barrier()
            dist.barrier()
        def test_run():
            for is_wrapped in [True, False]:
                for rank in range(2):
                    mp.Process(target=run, args=(rank, is_wrapped)).start()
    """,
}


@pytest.mark.parametrize("body", HEALTHY.values(), ids=HEALTHY)
def test_collective_that_all_ranks_reach_is_left_alone(body: str) -> None:
    assert_marked(RULE, body)


COUNTED = [
    """
    for _ in range([1, 2][rank]):
        dist.barrier()
    """,
    """
    if rank == 0:
        count = 3
    else:
        count = 4
    for _ in range(count):
        dist.all_reduce(x)
    """,
    """
    with x:
        count = int(os.environ["RANK"]) + 1
    items = [x for _ in range(count)]
    for item in items:
        dist.all_reduce(item)
    """,
    """
    done = [dist.all_reduce(x) for _ in range(rank)]
    """,
]


def test_mend_takes_the_collective_out_of_the_files_own_condition() -> None:
    (inside,) = found(RULE, "def run(rank):\n    if rank == 0:\n        dist.barrier()\n")
    assert inside.mend == "if rank == 0:\n    ...  # what these ranks do alone\ndist.barrier()\n"
    (behind,) = found(RULE, "def run(rank):\n    if rank == 0:\n        return\n    dist.barrier()\n")
    assert behind.mend.split("\n", 1) == [
        "dist.barrier()  # every rank comes here",
        "if rank == 0:\n    ...  # and these may leave now\n",
    ]
    long = "x + " * 30 + "x"
    (by_loop,) = found(RULE, f"def run(rank):\n    for _ in range(rank):\n        dist.all_reduce({long})\n")
    assert by_loop.mend.endswith("    dist.barrier()\n")
    assert "for turn in range(max(counts)):" in by_loop.mend
    (by_while,) = found(RULE, "def run(rank, x):\n    while rank > 1:\n        dist.all_reduce(x)\n")
    assert by_while.mend.startswith("while True:")


@pytest.mark.parametrize("body", COUNTED)
def test_loop_that_the_ranks_number_counts_is_mended_as_a_loop(body: str) -> None:
    (finding,) = found(RULE, f"def run(rank, x):\n{indent(dedent(body), '    ')}")
    assert "if rank" not in finding.mend
    assert "as many rounds on every rank" in finding.mend


@pytest.mark.parametrize(
    "over", ["buckets", "made(rank)", "buckets[rank]", "buckets[rank::2]", "[rank, 1]", "first(rank)"]
)
def test_loop_that_may_be_as_long_on_every_rank_is_left_alone(over: str) -> None:
    body = f"""
        def first(rank):
            return [rank]
        def run(rank, buckets):
            count, _ = rank, 1
            for bucket in {over}:
                dist.all_reduce(bucket)
            for _ in range(count):
                dist.barrier()
    """
    assert_marked(RULE, body)
