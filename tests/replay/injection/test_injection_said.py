"""Does a message name the failed rank and the cause? Messages as tests, torch and pytest word them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.replay.injection.judged import fault_of
from worker.replay.injection.said import names_cause, names_rank, spoken, telling_line

RAISE, EXIT, KILL, HANG = (fault_of(f"rank=1,how={how}") for how in ("raise", "exit", "kill", "hang"))
AT_EXIT = fault_of("rank=1,at=exit")
TEXT = RAISE.text


@pytest.mark.parametrize(
    "said",
    [
        *("rank 1 failed", "Rank 1: RuntimeError", "rank=1", "{'rank': 1, 'traceback': '...'}", '"rank": 1,'),
        *("[rank1]: Traceback", "rank[1] died", "rank #1", "ranks [1]", "ranks 0, 1 failed", "ranks: {1}"),
        *(
            "rank      : 1 (local_rank: 1)",
            "rank_1",
            "worker 1 exited",
            "Process 1 terminated with",
            "RANK 1",
        ),
        "-- Process 1 terminated with the following error:",
        "rank is 1",
    ],
)
def test_a_rank_is_named(said: str) -> None:
    assert names_rank(said, RAISE)


@pytest.mark.parametrize(
    "said",
    [
        *("", "assert False", "workers failed", "rank 10 failed", "rank 0 failed", "1 of 2 ranks failed"),
        *("rank=rank", "<SpawnProcess name='SpawnProcess-1' stopped>", "Process-1", "rank 1.5", "frank 1"),
        *(f"RuntimeError: {TEXT}", "ranks failed: 1 error", "[127.0.0.1]:1", "worker processes: 12"),
    ],
)
def test_another_number_names_no_rank(said: str) -> None:
    assert not names_rank(said, RAISE)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (EXIT, "assert [0, 86] == [0, 0]"),
        (KILL, "assert [0, -9] == [0, 0]"),
        (KILL, "At index 1 diff: -9 != 0"),
        (EXIT, "{0: 0, 1: 86}"),
        (HANG, "exit codes [0, None]"),
        (AT_EXIT, "assert [0, 1] == [0, 0]"),
    ],
)
def test_a_list_of_exit_codes_names_rank_and_cause_by_place(fault: object, said: str) -> None:
    assert names_rank(said, fault)
    assert names_cause(said, fault)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (EXIT, "[86, 0]"),
        (EXIT, "[86, 86]"),
        (KILL, "[0, 0]"),
        (RAISE, "[1, 1]"),
        (EXIT, "At index 0 diff: 86 != 0"),
    ],
)
def test_a_list_that_singles_out_another_names_no_rank(fault: object, said: str) -> None:
    assert not names_rank(said, fault)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (RAISE, f"RuntimeError: {TEXT}"),
        (EXIT, "rank 1 exited with code 86"),
        (EXIT, "process 1 terminated with exit code 86"),
        (KILL, "process 1 terminated with signal SIGKILL"),
        (KILL, "exitcode  : -9 (pid: 77)"),
        (KILL, "worker was Killed"),
        (KILL, "shell said 137"),
        (HANG, "rank 1 did not report within 5 s"),
        (HANG, "timed out waiting for rank 1"),
        (HANG, "Rank 1 failed to pass monitoredBarrier in 3000 ms"),
        (HANG, "rank 0: finished\nrank 1: still running"),
        (HANG, "no report of ranks [1]\nassert not ['rank 0: RuntimeError: Timed out waiting 15000ms']"),
        (AT_EXIT, "rank 1 exited with code 1"),
        (AT_EXIT, "process 1 terminated with exit code 1"),
    ],
)
def test_a_cause_is_named(fault: object, said: str) -> None:
    assert names_cause(said, fault)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (RAISE, "a worker raised RuntimeError"),
        (RAISE, "rank 1 exited with code 1"),
        (EXIT, "exit code 1"),
        (EXIT, "port 8612, 1.86 s, pid 486"),
        (KILL, "exit code -15"),
        (KILL, "took 2-9 s"),
        (HANG, "workers timed out"),
        (HANG, "rank 1 failed"),
        (HANG, "rank 0 did not report"),
        (HANG, "rank 0 did not report\nrank 1 did not report"),
        (HANG, "no report of ranks [0, 1]"),
        (HANG, "assert ['rank 0 is late', 'rank 1 is late'] == []"),
        (HANG, "exit codes [0, -15]"),
        (AT_EXIT, "exit code 12"),
    ],
)
def test_another_cause_or_a_consequence_is_none(fault: object, said: str) -> None:
    assert not names_cause(said, fault)


def test_source_that_stands_around_a_message_is_not_what_the_test_says() -> None:
    text = (
        "def test_all():\n    if rank == 1:\n>       assert all(codes)\nE       assert False\n"
        'E         File "worker.py", line 3, in work\nE           raise Broken if rank == 1 else None\n'
        "E             ^^^^^^^^^^^\nE       ValueError: broken\n\ntest_it.py:3: AssertionError"
    )
    said = spoken("assert False", text)
    assert not names_rank(said, RAISE)
    assert "ValueError: broken" in said
    assert names_rank(spoken("rank 1: broken", ""), RAISE)


def test_a_message_without_marks_of_pytest_is_read_too() -> None:
    native = (
        'Traceback\n  File "test_it.py", line 2, in test\n    x = rank == 1\nAssertionError: rank 1 is gone\n'
    )
    assert names_rank(spoken("", native), RAISE)
    assert not names_rank(spoken("", native.replace("rank 1 is gone", "gone")), RAISE)


def test_the_line_that_says_most_is_told() -> None:
    said = f"rank 0: Traceback\nConnection closed\nrank 1: Traceback\nRuntimeError: {TEXT}"
    assert telling_line(said, RAISE) == f"RuntimeError: {TEXT}"
    assert telling_line("a\nrank 1 is gone\n", RAISE) == "rank 1 is gone"
    assert telling_line("\n assert False\n", RAISE) == "assert False"
    assert telling_line("", RAISE) == ""


@given(st.text(max_size=3000), st.text(max_size=3000))
def test_no_text_is_too_odd_to_be_read(message: str, text: str) -> None:
    for fault in (RAISE, EXIT, KILL, HANG, AT_EXIT):
        said = spoken(message, text)
        names_rank(said, fault)
        names_cause(said, fault)


@pytest.mark.parametrize(
    "part", ["rank ", "ranks 1, ", "[0, ", "index 1 diff: ", "process ", 'File "', "E   "]
)
def test_long_hostile_texts_are_read_in_time(part: str) -> None:
    said = spoken(part * 20_000, "")
    for fault in (RAISE, EXIT, KILL, HANG, AT_EXIT):
        names_rank(said, fault)
        names_cause(said, fault)
