"""Ranks that wait in vain are named while they wait; with proof the trial ends, without it it goes on."""

import pytest
from running import Project

from app.domain.replay_words import Outcome
from worker.replay.facts import Linked
from worker.replay.observed import Naming

pytest.importorskip("torch")

LONG_BEFORE_NS = 20 * 10**9
"""Half of the group's timeout; how soon a rank is named indeed is a figure of the benchmarks."""

RANKS = """
import datetime, multiprocessing, os, socket, sys, time
import pytest
import torch
import torch.distributed as dist

def run(work, world=2, kind="fork"):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    context = multiprocessing.get_context(kind)
    workers = [context.Process(target=rank_of, args=(work, rank, world, port)) for rank in range(world)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
    assert [worker.exitcode for worker in workers] == [0] * world

def rank_of(work, rank, world, port):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world,
                            timeout=datetime.timedelta(seconds=40))
    dist.barrier()
    work(rank)
    dist.destroy_process_group()

def mend_and_go_on(rank):
    if rank == 0:
        try:
            raise ValueError("not this time")
        except ValueError:
            time.sleep(3)
    dist.all_reduce(torch.ones(2))

def handle_busily(rank):
    if rank == 0:
        try:
            raise KeyError("shard") from OSError("disk")
        except KeyError:
            end = time.monotonic() + 3
            while time.monotonic() < end:
                pass
    dist.all_reduce(torch.ones(2), op=dist.ReduceOp.MAX)

def raise_late(rank):
    if rank == 0:
        time.sleep(4)
        try:
            raise ValueError("only now")
        except ValueError:
            time.sleep(3)
    dist.all_reduce(torch.ones(2))

def leave_a_child(rank):
    if rank == 0:
        if os.fork() == 0:
            time.sleep(30)  # its copies of the sockets keep the connection open
        os._exit(3)
    dist.all_reduce(torch.ones(2))

def differ(rank):
    if rank == 0:
        dist.all_reduce(torch.ones(2))
    else:
        dist.broadcast(torch.ones(2), 0)

def wait_for_each_other(rank):
    dist.recv(torch.ones(2), src=1 - rank)

def test_handled(): run(mend_and_go_on)
def test_busy(): run(handle_busily)
def test_late(): run(raise_late)
def test_left(): run(leave_a_child)
def test_differ(): run(differ)
def test_circle(): run(wait_for_each_other)
"""


@pytest.fixture
def ranked(project: Project) -> Project:
    project.write(RANKS)
    return project


def test_rank_that_handles_its_exception_and_comes_late_is_no_failure(ranked: Project) -> None:
    told: list[Naming] = []
    shown = ranked.run("test_it.py::test_handled", bare=False, isolated=True, on_event=told.append)
    assert shown.trial.outcome is Outcome.PASSED
    assert [(one.what, one.rank, one.missing, one.op) for one in told] == [
        ("provisional", 1, (0,), "all_reduce"),
        ("withdrawn", 1, (0,), "all_reduce"),
    ]
    assert told[0].t - told[0].since < LONG_BEFORE_NS


def test_exception_of_a_handler_that_never_rests_is_known_since_it_is_asked(ranked: Project) -> None:
    told: list[Naming] = []
    shown = ranked.run("test_it.py::test_busy", bare=False, isolated=True, on_event=told.append)
    assert shown.trial.outcome is Outcome.PASSED
    assert [one.what for one in told] == ["provisional", "withdrawn"]
    assert told[0].reduce_op == "MAX"
    (absent,) = told[0].absent
    assert absent.last is not None
    assert (absent.last.op, absent.last.number) == ("barrier", 1)
    assert absent.raised is not None
    assert (absent.raised.type, absent.raised.cause) == ("KeyError", Linked("OSError", "disk"))
    assert absent.stack[0].function == "handle_busily"


def test_what_the_missing_rank_raises_after_the_naming_is_told_as_it_comes(ranked: Project) -> None:
    told: list[Naming] = []
    ranked.run("test_it.py::test_late", bare=False, isolated=True, on_event=told.append)
    assert [one.what for one in told] == ["provisional", "provisional", "withdrawn"]
    known = [one.absent[0].raised for one in told]
    assert known[0] is None
    assert known[1] is not None
    assert known[1].message == "only now"


def test_exit_whose_connection_stays_open_is_proof_and_ends_the_trial(ranked: Project) -> None:
    told: list[Naming] = []
    shown = ranked.run("test_it.py::test_left", bare=False, isolated=True, on_event=told.append)
    assert shown.trial.outcome is Outcome.ENDED_EARLY
    (proven,) = told
    assert (proven.what, proven.rank, proven.missing) == ("proven", 1, (0,))
    assert proven.proof == "rank 0 has ended with exit code 3"
    assert proven.t - proven.since < LONG_BEFORE_NS


@pytest.mark.parametrize(
    ("test", "waits"),
    [
        pytest.param(
            "test_differ", {(0, "all_reduce", (1,)), (1, "broadcast", (0,))}, marks=pytest.mark.accept
        ),
        ("test_circle", {(0, "recv", (1,)), (1, "recv", (0,))}),
    ],
)
def test_circle_of_waits_is_proof_and_ends_the_trial(
    ranked: Project, test: str, waits: set[tuple[int, str, tuple[int, ...]]]
) -> None:
    told: list[Naming] = []
    shown = ranked.run(f"test_it.py::{test}", bare=False, isolated=True, on_event=told.append)
    assert shown.trial.outcome is Outcome.ENDED_EARLY
    assert {(one.rank, one.op, one.missing) for one in told if one.what == "proven"} == waits
    assert all(one.t - one.since < LONG_BEFORE_NS for one in told)
    assert "waits in WORLD" in shown.trial.reason
    assert shown.facts.ended_early_at is not None
    ranks = {one.pid for one in shown.facts.processes if one.rank is not None}
    assert {one.pid for one in shown.facts.stacks} >= ranks
    assert all(one.by_us for one in shown.facts.exits)


@pytest.mark.accept
def test_proof_does_not_end_a_trial_that_is_to_run_on(ranked: Project) -> None:
    told: list[Naming] = []
    shown = ranked.run(
        "test_it.py::test_differ",
        bare=False,
        isolated=True,
        timeout_s=15,
        ends_early=False,
        on_event=told.append,
    )
    assert shown.trial.outcome is Outcome.TIMED_OUT
    assert {one.what for one in told} == {"proven"}
