"""Whatever a log holds is explained by lines that it holds, and not by whose line came first."""

import io

from explained import EXIT_1, explained, log
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_checks import check_explained
from reading_damage import ShortReads, damaged, sizes
from reading_inputs import logs

from app.domain.category import Category
from app.domain.explaining.log_explanation import explain_log


@settings(max_examples=150)
@given(st.binary(max_size=2000))
def test_any_bytes_are_explained(content: bytes) -> None:
    check_explained(explain_log(io.BytesIO(content)), content)


@settings(max_examples=200)
@given(damaged(logs()))
def test_a_damaged_log_is_explained_by_its_own_lines(content: bytes) -> None:
    check_explained(explain_log(io.BytesIO(content)), content)


@settings(max_examples=60)
@given(st.one_of(st.sampled_from(logs()), damaged(logs())), sizes)
def test_explaining_in_pieces_is_explaining_whole(content: bytes, pieces: list[int]) -> None:
    assert explain_log(ShortReads(content, pieces)) == explain_log(io.BytesIO(content))  # type: ignore[arg-type]


RANKS = [
    ["Traceback (most recent call last):", '  File "a.py", line 3, in f', "    g()", "ValueError: no room"],
    [
        "Traceback (most recent call last):",
        "RuntimeError: [x.cc:8] Timed out waiting 900ms for recv operation",
    ],
    ["RuntimeError: [pair.cc:525] Connection closed by peer [127.0.0.1]:1"],
    ["Terminating process 4 via signal SIGTERM"],
]


@given(st.data())
def test_the_order_in_which_ranks_write_changes_nothing(data: st.DataObject) -> None:
    waiting = [[f"[rank{rank}]: {line}" for line in lines] for rank, lines in enumerate(RANKS)]
    mixed = []
    while any(waiting):
        mixed.append(data.draw(st.sampled_from([lines for lines in waiting if lines])).pop(0))
    told = explained(log(*mixed, EXIT_1))
    assert told.key is not None
    assert told.key.text == "[rank0]: ValueError: no room"
    assert told.category is Category.EXCEPTION


numbers = st.integers(0, 99_999)


@given(numbers, numbers, st.integers(0, 63))
def test_numbers_change_nothing(port: int, pid: int, rank: int) -> None:
    told = explained(
        log(
            f"[rank{rank}]: RuntimeError: [pair.cc:{port}] Connection closed by peer [127.0.0.1]:{port}",
            f"/t/{pid}.sh: line {rank}:  {pid} Killed      pytest -v",
            "##[error]Process completed with exit code 137.",
        )
    )
    assert told.category is Category.OOM
    assert told.key is not None
    assert "Killed" in told.key.text
