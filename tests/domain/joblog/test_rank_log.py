"""A rank's log names its rank, and its last words are found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.joblog.rank_log import TAIL, is_results_candidate, is_text_log, rank_of, read_rank_log


@pytest.mark.parametrize(
    ("path", "rank"),
    [
        ("rank0.log", 0),
        ("rank_1.txt", 1),
        ("worker-rank-3.log", 3),
        ("out/RANK12.stderr", 12),
        ("ranks/test.rank7.log", 7),
        ("logs/none_abc/attempt_0/1/stderr.log", 1),
        ("logs/1/stdout.log", 1),
        ("rank_2/attempt/rank_5.log", 5),
        ("frank0.log", None),
        ("rank.log", None),
        ("ranking1.log", None),
        ("logs/stderr.log", None),
        ("logs/1/pytest.log", None),
        ("junit.xml", None),
    ],
)
def test_the_path_names_the_rank(path: str, rank: int | None) -> None:
    assert rank_of(path) == rank


def last_error(*lines: str) -> str | None:
    log = read_rank_log("rank1.log", "\n".join(lines).encode())
    assert log is not None
    assert log.rank == 1
    return log.last_error


TRACEBACK = ["Traceback (most recent call last):", '  File "t.py", line 3, in f', "    raise ValueError('x')"]


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ([*TRACEBACK, "ValueError: x", "bye"], "ValueError: x"),
        (
            [*TRACEBACK, "ValueError: x", "", "During handling", "", *TRACEBACK, "KeyError: 'k'"],
            "KeyError: 'k'",
        ),
        (
            [*TRACEBACK, "torch.distributed.DistBackendError: lost"],
            "torch.distributed.DistBackendError: lost",
        ),
        ([*TRACEBACK, "KeyboardInterrupt"], "KeyboardInterrupt"),
        ([f"[rank1]: {line}" for line in [*TRACEBACK, "ValueError: x"]], "ValueError: x"),
        ([f"[rank1]:[rank1]: {line}" for line in [*TRACEBACK, "ValueError: x"]], "ValueError: x"),
        ([f"  | {line}" for line in [*TRACEBACK, "ValueError: x"]], "ValueError: x"),
        (["2026-05-11T09:14:02.0131000Z " + line for line in [*TRACEBACK, "OSError: y"]], "OSError: y"),
        ([*TRACEBACK, "ValueError: x", "Aborted (core dumped)"], "ValueError: x"),
        ([*TRACEBACK], None),
        (
            ["terminate called without an active exception", "done"],
            "terminate called without an active exception",
        ),
        (
            ["Fatal Python error: Segmentation fault", "", "Thread 0x1:"],
            "Fatal Python error: Segmentation fault",
        ),
        (["  received SIGTERM  "], "received SIGTERM"),
        (["all fine"], None),
        ([], None),
    ],
)
def test_the_last_words_are_found(lines: list[str], error: str | None) -> None:
    assert last_error(*lines) == error


def test_a_file_without_a_rank_is_none() -> None:
    assert read_rank_log("pytest.log", b"ValueError: x") is None


def test_the_tail_is_bounded_and_clean() -> None:
    log = read_rank_log("rank0.log", b"x" * 100_000 + b"\x1b[31m\xffEND\x1b[0m")
    assert log is not None
    assert log.tail.endswith("x\N{REPLACEMENT CHARACTER}END")
    assert len(log.tail) < TAIL + 100


@pytest.mark.parametrize(
    ("path", "text", "results"),
    [
        ("a/rank0.LOG", True, False),
        ("b.txt", True, False),
        ("TEST-x.XML", False, True),
        ("TestResults/run_net8.0.trx", False, True),
        ("c.png", False, False),
    ],
)
def test_names_are_hints(path: str, text: bool, results: bool) -> None:  # noqa: FBT001 - parameters of the test
    assert is_text_log(path) is text
    assert is_results_candidate(path) is results


@given(st.binary(max_size=300))
def test_any_bytes_are_a_rank_log(raw: bytes) -> None:
    assert read_rank_log("rank0.log", raw) is not None
