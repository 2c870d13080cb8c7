"""Ranks that leave too early, and ends that all ranks come to together."""

import pytest
from marked import assert_marked, found

from app.domain.lint.finding import Rule

RULE = Rule.EXIT_WITHOUT_BARRIER

START = """
        def test_run():
            mp.spawn(run, args=(29500,), nprocs=3)
"""

WEAK = {
    "a message whose work is thrown away": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            dist.isend(torch.ones(1), (rank + 1) % 3)  # <-
            got = dist.irecv(torch.ones(1), (rank - 1) % 3)
            got.wait()
            dist.destroy_process_group()
    """,
    "a work that only some rounds wait for": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            for batch in range(3):
                work = dist.isend(torch.ones(1), 1)  # <-
                if batch < 2:
                    work.wait()
    """,
    "a reduction that is not waited for": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            dist.all_reduce(torch.ones(1), async_op=True)  # <-
            dist.destroy_process_group()
    """,
    "the sender's last message": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            if rank == 0:
                dist.send(torch.ones(1), 1)  # <-
            elif rank == 1:
                dist.recv(torch.ones(1), 0)
            dist.destroy_process_group()
    """,
    "the store's host leaves": """
        def run(rank, port):
            store = dist.TCPStore("127.0.0.1", port, 3, rank == 0)
            if rank == 0:
                store.set("plan", "a")  # <-
                return
            store.get("plan")
    """,
    "the host has no part in what others ask": """
        def run(rank, port):
            store = dist.TCPStore("127.0.0.1", port, 3, is_master=rank == 0)
            dist.init_process_group("gloo", store=store, rank=rank, world_size=3)
            dist.barrier()
            if rank > 0:
                store.set("metric", str(rank))  # <-
            dist.destroy_process_group()
    """,
    "all ask, and the host as well": """
        def run(rank, port):
            store = dist.TCPStore("127.0.0.1", port, 3, rank == 0)
            store.set(f"{rank}", "here")
            store.get(f"{(rank + 1) % 3}")  # <-
    """,
    "the group's own store": """
        def run(rank, port):
            dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=3)
            store = dist.distributed_c10d._get_default_store()
            if rank == 0:
                store.set("k", "v")  # <-
            else:
                store.get("k")
    """,
    "rank 0 leaves a subgroup at work": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            rest = dist.new_group([1, 2])
            if rank == 0:
                dist.destroy_process_group()  # <-
                os._exit(0)
            dist.all_reduce(torch.ones(1), group=rest)
            dist.destroy_process_group()
    """,
    "returned while two others talk": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            dist.barrier()
            if rank == 0:
                print("done")
                return  # <-
            if rank == 1:
                dist.send(torch.ones(1), 2)
            else:
                dist.recv(torch.ones(1), 1)
    """,
    "rank 0 still saves": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            dist.all_reduce(torch.ones(1))
            if rank == 0:
                torch.save({}, "x")  # <-
            dist.destroy_process_group()
    """,
    "joined and left": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            assert dist.get_rank() == rank
            dist.destroy_process_group()
    """.replace("world_size=3)\n", "world_size=3)  # <-\n"),
}


@pytest.mark.parametrize("body", WEAK.values(), ids=WEAK)
def test_rank_that_leaves_too_early_is_found(body: str) -> None:
    assert_marked(RULE, body + START)


def test_host_in_a_function_of_its_own_is_found() -> None:
    assert_marked(
        RULE,
        """
        def host(port):
            store = dist.TCPStore("127.0.0.1", port, 2, True)
            store.set("plan", "a")  # <-
        def guest(port):
            dist.TCPStore("127.0.0.1", port, 2, False).get("plan")
        def test_two():
            for work in (host, guest):
                pass
            a, b = mp.Process(target=host, args=(1,)), mp.Process(target=guest, args=(1,))
            a.start()
            b.start()
        """,
    )


def test_script_that_meets_others_in_a_store_is_a_rank() -> None:
    assert_marked(
        RULE,
        """
        def main():
            rank = int(os.environ["RANK"])
            store = dist.TCPStore("127.0.0.1", 29500, 2, rank == 0)
            if rank == 0:
                store.set("plan", "a")  # <-
                sys.exit()
            store.wait(["plan"])
        if __name__ == "__main__":
            main()
        """,
    )


HEALTHY = {
    "a barrier at the end": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            if rank == 0:
                dist.send(torch.ones(1), 1)
                torch.save({}, "x")
            elif rank == 1:
                dist.recv(torch.ones(1), 0)
            dist.barrier()
            dist.destroy_process_group()
    """,
    "a collective at the end, then reports": """
        def run(rank, port):
            try:
                dist.init_process_group("gloo", rank=rank, world_size=3)
                work = dist.all_reduce(torch.ones(1), async_op=True)
                work.wait()
                if rank == 0:
                    print("done")
            finally:
                dist.destroy_process_group()
    """,
    "the host waits for a word": """
        def run(rank, port):
            store = dist.TCPStore("127.0.0.1", port, 3, rank == 0)
            if rank == 0:
                store.set("plan", "a")
                store.wait(["read"])
            else:
                store.get("plan")
                store.set("read", "1")
    """,
    "the host waits for an event": """
        def run(rank, port, done):
            store = dist.TCPStore("127.0.0.1", port, 3, rank == 0)
            if rank == 0:
                store.set("plan", "a")
                done.wait()
            else:
                store.get("plan")
    """,
    "a barrier behind what is not always waited for": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            work = dist.isend(torch.ones(1), 1)
            if rank:
                work.wait()
            dist.barrier()
    """,
    "a store that is asked before the barrier only": """
        def run(rank, port):
            store = dist.TCPStore("127.0.0.1", port, 3, rank == 0)
            dist.init_process_group("gloo", store=store, rank=rank, world_size=3)
            store.set(f"{rank}", "here")
            dist.barrier()
    """,
    "a store in a file": """
        def run(rank, port):
            store = dist.FileStore("x", 3)
            dist.init_process_group("gloo", store=store, rank=rank, world_size=3)
            dist.barrier()
            store.get("x")
    """,
    "a store in the parent": """
        def run(rank, port):
            store = dist.TCPStore("127.0.0.1", port, 3, False)
            store.set("x", "1")
    """,
    "sends that are waited for, then a reduction": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            for work in [dist.isend(torch.ones(1), peer) for peer in range(3)]:
                work.wait()
            dist.all_reduce(torch.ones(1))
    """,
    "sleeping in a loop that looks": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            dist.barrier()
            if rank == 0:
                while not os.path.exists("x"):
                    time.sleep(0.1)
    """,
    "late for a barrier that is to fail": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            if rank == 1:
                time.sleep(5)
            with pytest.raises(RuntimeError):
                dist.monitored_barrier()
    """,
    "saved behind the group's end": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            dist.barrier()
            dist.destroy_process_group()
            if rank == 0:
                torch.save({}, "x")
    """,
    "a model that may talk": """
        from torch import nn
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            train(nn.Linear(2, 2))
            dist.destroy_process_group()
    """,
    "a stand-in": """
        def run(rank, port):
            dist.init_process_group("fake", rank=rank, world_size=3)
            dist.destroy_process_group()
    """,
    "a world of one": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=1)
            dist.destroy_process_group()
    """,
    "an error that all ranks handle by a barrier": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            try:
                [][rank]
            except IndexError:
                dist.barrier()
            dist.destroy_process_group()
    """,
    "other ranks leave and none talks": """
        def run(rank, port):
            dist.init_process_group("gloo", rank=rank, world_size=3)
            dist.barrier()
            if rank != 0:
                return
            print("summary")
    """,
}


@pytest.mark.parametrize("body", HEALTHY.values(), ids=HEALTHY)
def test_end_that_all_ranks_reach_together_is_left_alone(body: str) -> None:
    assert_marked(RULE, body + START)


def test_mend_is_a_barrier_or_a_word_to_the_stores_host() -> None:
    (message,) = found(RULE, WEAK["the sender's last message"] + START)
    assert message.mend == (
        "dist.send(torch.ones(1), 1)\n"
        "dist.barrier()  # nobody leaves before all are done\n"
        "dist.destroy_process_group()\n"
    )
    (work,) = found(RULE, WEAK["a message whose work is thrown away"] + START)
    assert work.mend.startswith("work = dist.isend(torch.ones(1), (rank + 1) % 3)\nwork.wait()\n")
    (store,) = found(RULE, WEAK["the store's host leaves"] + START)
    assert 'store.wait([f"done{peer}" for peer in range(world_size)])' in store.mend
    (left,) = found(RULE, WEAK["returned while two others talk"] + START)
    assert left.mend == "dist.barrier()  # nobody leaves before all are done\n"
