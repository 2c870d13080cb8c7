"""What a bare trial tells without any probe: which process is which rank, and whose last words those were."""

import signal

from worker.replay.facts import Exit, Process
from worker.replay.joined.crash_stacks import crash_stacks
from worker.replay.joined.last_words import tell_owners
from worker.replay.joined.ranks import SPAWNED, name_ranks
from worker.replay.observed import Observed

PYTEST = Process(3, 2, ("python", "-m", "pytest"), 0)
TRACKER = ("python", "-c", "from multiprocessing.resource_tracker import main;main(11)")
ABORT = "terminate called without an active exception\nFatal Python error: Aborted\n"
SEGV = """Fatal Python error: Segmentation fault

Current thread 0x0000000000000010 (most recent call first):
  File "/p/test_a.py", line 7 in _native
"""


def spawned(pid: int, started: int) -> Process:
    return Process(pid, 3, ("python", "-c", "spawn_main()", SPAWNED), started)


def forked(pid: int, started: int) -> Process:
    return Process(pid, 3, PYTEST.argv, started, began="fork")


def ranks(
    *processes: Process, exits: tuple[Exit, ...] = ()
) -> dict[int, tuple[int | None, int | None, str | None]]:
    named = name_ranks([PYTEST, *processes], exits)
    return {one.pid: (one.rank, one.world, one.rank_source) for one in named if one.rank is not None}


def test_spawned_children_are_ranks_in_the_order_of_their_start() -> None:
    tracker = Process(4, 3, TRACKER, 1)
    assert ranks(tracker, spawned(6, 3), spawned(5, 2)) == {5: (0, 2, "order"), 6: (1, 2, "order")}


def test_forked_children_are_ranks_and_a_shell_command_is_none() -> None:
    shell = Process(9, 3, ("git", "status"), 1, is_python=False)
    assert set(ranks(shell, forked(5, 2), forked(6, 3))) == {5, 6}


def test_workers_of_a_forkserver_are_ranks_and_the_server_is_none() -> None:
    server = Process(4, 3, ("python", "-c", "from multiprocessing.forkserver import main; main(1)"), 1)
    workers = [Process(pid, 4, server.argv, pid, began="fork") for pid in (5, 6)]
    assert set(ranks(server, *workers)) == {5, 6}


def test_workers_of_xdist_are_no_ranks() -> None:
    xdist = ("python", "-u", "-c", "import sys;exec(eval(sys.stdin.readline()))")
    assert ranks(Process(5, 3, xdist, 2), Process(6, 3, xdist, 3)) == {}


def test_single_child_is_no_rank() -> None:
    assert ranks(spawned(5, 2)) == {}


def test_later_batch_counts_from_zero_again() -> None:
    first = (Exit(5, 10, 0, "pidfd"), Exit(6, 11, 0, "pidfd"))
    found = ranks(forked(5, 2), forked(6, 3), forked(7, 20), forked(8, 21), exits=first)
    assert {pid: rank for pid, (rank, _, _) in found.items()} == {5: 0, 6: 1, 7: 0, 8: 1}


def test_environment_and_argument_are_believed_before_the_order() -> None:
    by_env = Process(5, 3, ("python", "w.py"), 2, rank=1, world=2, rank_source="env")
    assert ranks(by_env, forked(6, 3)) == {5: (1, 2, "env")}
    by_argument = Process(5, 3, ("python", "w.py", "--local-rank=3"), 2)
    apart = Process(6, 3, ("python", "w.py", "--rank", "2"), 3)
    assert ranks(by_argument, apart) == {5: (3, None, "argument"), 6: (2, None, "argument")}


def test_what_the_probe_knows_is_not_guessed_over() -> None:
    known = Process(5, 3, PYTEST.argv, 2, began="fork", rank=7, rank_source="init", observed=True)
    assert ranks(known, forked(6, 3)) == {5: (7, None, "init")}


def test_one_death_takes_all_last_words() -> None:
    told = tell_owners(
        "noise\n" + ABORT + "Fatal Python error: Bus error\n", [Exit(5, 9, -signal.SIGBUS, "pidfd")]
    )
    assert told == {5: (*ABORT.splitlines(), "Fatal Python error: Bus error")}


def test_two_deaths_take_their_words_in_order_where_the_signals_fit() -> None:
    deaths = [Exit(5, 9, -signal.SIGABRT, "pidfd"), Exit(6, 10, -signal.SIGSEGV, "pidfd")]
    assert tell_owners(ABORT + SEGV, deaths) == {
        5: tuple(ABORT.splitlines()),
        6: ("Fatal Python error: Segmentation fault",),
    }
    assert tell_owners(SEGV + ABORT, deaths) == {}


def test_same_words_are_those_of_both() -> None:
    deaths = [Exit(pid, pid, -signal.SIGABRT, "pidfd") for pid in (5, 6, 7)]
    assert set(tell_owners(ABORT + ABORT, deaths)) == {5, 6, 7}


def test_death_by_our_hand_has_no_last_words() -> None:
    assert tell_owners(ABORT, [Exit(5, 9, -signal.SIGABRT, "pidfd", by_us=True)]) == {}


def test_words_of_a_test_that_only_prints_are_nobodys() -> None:
    assert tell_owners(ABORT, [Exit(5, 9, 1, "pidfd")]) == {}


def test_crash_stack_belongs_to_the_one_that_crashed() -> None:
    observed = Observed(0, 100, project="/p")
    (stack,) = crash_stacks(SEGV, [Exit(5, 9, -signal.SIGSEGV, "pidfd"), Exit(6, 10, 1, "pidfd")], observed)
    assert (stack.pid, stack.reason, stack.fatal) == (5, "fatal", "Segmentation fault")
    assert (stack.frames[0].file, stack.frames[0].line, stack.frames[0].in_project) == ("test_a.py", 7, True)


def test_stacks_of_more_deaths_than_dumps_are_nobodys() -> None:
    deaths = [Exit(pid, pid, -signal.SIGSEGV, "pidfd") for pid in (5, 6)]
    assert crash_stacks(SEGV, deaths, Observed(0, 100)) == ()


def test_stack_of_one_that_we_ended_was_asked_for() -> None:
    observed = Observed(0, 100, project="/p", error_tails={5: SEGV})
    (stack,) = crash_stacks("", [Exit(5, 9, -signal.SIGABRT, "pidfd", by_us=True)], observed)
    assert (stack.reason, stack.fatal) == ("asked", None)
