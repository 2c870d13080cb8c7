"""Rules about ranks that part ways between collectives."""

from collections.abc import Mapping
from textwrap import dedent
from typing import Final

from app.domain.lint.finding import Rule
from app.domain.lint.meaning import Meaning

MEANINGS_OF_RANKS: Final[Mapping[Rule, Meaning]] = {
    Rule.EXIT_WITHOUT_BARRIER: Meaning(
        short="A rank may exit while another still needs it",
        why="A rank that is done ends its process or destroys its group, without knowing that the others "
        "are done. Rank 0 usually hosts the store, and every connection ends with its process: who "
        "comes later fails with `connection reset` or `connection closed by peer`, which names no "
        "cause, since there is none but time.",
        mend="Put a barrier before the end, after the last thing that one rank does for another.",
        bad=dedent("""\
            def worker(rank, port):
                address = f"tcp://127.0.0.1:{port}"
                dist.init_process_group("gloo", init_method=address, rank=rank, world_size=2)
                tensor = torch.ones(1)
                if rank == 0:
                    dist.send(tensor, dst=1)
                else:
                    dist.recv(tensor, src=0)
                dist.destroy_process_group()"""),
        mended=dedent("""\
            def worker(rank, port):
                address = f"tcp://127.0.0.1:{port}"
                dist.init_process_group("gloo", init_method=address, rank=rank, world_size=2)
                tensor = torch.ones(1)
                if rank == 0:
                    dist.send(tensor, dst=1)
                else:
                    dist.recv(tensor, src=0)
                dist.barrier()
                dist.destroy_process_group()"""),
    ),
    Rule.RANK_LOCAL_RAISE_BEFORE_COLLECTIVE: Meaning(
        short="Work that may raise on one rank stands between two collectives",
        why="Between two collectives each rank does work of its own, and that may raise on one rank and not "
        "on the others. These go on into the next collective and wait there, for minutes, until the "
        "group's timeout; what the log shows then is their timeout and not the error. A try around the "
        "whole, with the outcome reduced at its end, comes too late: the next collective is inside it.",
        mend="Catch the error where it is raised and let all ranks agree on the outcome before the next "
        "collective.",
        bad=dedent("""\
            def plan(batch):
                dist.barrier()
                if len(batch) > 8:
                    raise ValueError("no packing fits")
                flag = torch.ones(1)
                dist.all_reduce(flag, op=dist.ReduceOp.MIN)
                return flag"""),
        mended=dedent("""\
            def plan(batch):
                dist.barrier()
                error = None
                try:
                    check(batch)
                except ValueError as raised:
                    error = raised
                is_fine = torch.tensor([0.0 if error else 1.0])
                dist.all_reduce(is_fine, op=dist.ReduceOp.MIN)
                if error is not None:
                    raise error
                if not is_fine.item():
                    raise RuntimeError("the planning of another rank failed")
                flag = torch.ones(1)
                dist.all_reduce(flag, op=dist.ReduceOp.MIN)
                return flag"""),
    ),
    Rule.COLLECTIVE_UNDER_RANK_CONDITION: Meaning(
        short="A collective is called on some ranks only",
        why="Every rank of a group has to call each of its collectives, in the same order. One that stands "
        "under a condition on the rank, with none to match it on the other branch, waits for ranks that "
        "never come, until the group's timeout.",
        mend="Take the collective out of the condition, or make a group of those ranks alone.",
        bad=dedent("""\
            def save(rank, model):
                if rank == 0:
                    torch.save(model.state_dict(), "model.pt")
                    dist.barrier()
                return torch.load("model.pt")"""),
        mended=dedent("""\
            def save(rank, model):
                if rank == 0:
                    torch.save(model.state_dict(), "model.pt")
                dist.barrier()
                return torch.load("model.pt")"""),
    ),
}
