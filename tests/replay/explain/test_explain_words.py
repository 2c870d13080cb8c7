"""Sentences within their bounds, wordings of consequences, dumps on a shared standard error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenario import at

from worker.replay.explain import sentences
from worker.replay.explain.consequences import TABLE, Lost, lost_by_words, lost_of
from worker.replay.explain.native_dumps import frames_of_dump
from worker.replay.facts import Linked, Raised, Seen


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.example[:40])
def test_each_wording_is_found_in_its_example(row) -> None:  # noqa: ANN001 - a row of the table
    if row.example not in {"process 1 terminated", "-- Process 1"}:
        assert lost_by_words("RuntimeError", row.example) is row.lost


@pytest.mark.parametrize(
    ("type_", "message", "lost"),
    [
        (
            "RuntimeError",
            "[pair.cc:537] Read error [127.0.0.1]:10409: Connection reset by peer. This",
            Lost.CLOSED,
        ),
        ("torch.distributed.DistNetworkError", "Broken pipe", Lost.CLOSED),
        (
            "torch.distributed.DistStoreError",
            "wait timeout after 1000ms, keys: /default_pg/0//k",
            Lost.TIMED_OUT,
        ),
        (
            "torch.distributed.DistNetworkError",
            "The client socket has timed out after 2000ms while",
            Lost.TIMED_OUT,
        ),
        ("RuntimeError", "Application timeout caused pair closure", Lost.AFTERMATH),
        ("RuntimeError", "[Rank 0]: Rank 1 failed to pass monitoredBarrier in 1000 ms", Lost.TIMED_OUT),
        ("_queue.Empty", "", Lost.TIMED_OUT),
        (
            "torch.multiprocessing.spawn.ProcessExitedException",
            "process 1 terminated with exit code 1",
            Lost.TERMINATED,
        ),
        ("ValueError", "no packing fits budget 7", None),
        ("RuntimeError", "rank 0 looks dead", None),
        ("AssertionError", "norm drifted", None),
    ],
)
def test_wordings_of_torch_as_they_were_seen(type_: str, message: str, lost: Lost | None) -> None:
    assert lost_by_words(type_, message) is lost


def raised(type_: str, message: str, **more: object) -> Raised:
    return Raised(1, 1, "MainThread", Seen.UNCAUGHT, type_, message, 1, **more)


def test_assertion_is_always_its_own() -> None:
    assert lost_of(raised("AssertionError", "workers timed out: Connection closed by peer")) is None


def test_what_stands_behind_makes_a_consequence() -> None:
    deep = Linked("OSError", "x", context=Linked("RuntimeError", "Connection closed by peer"))
    assert lost_of(raised("TrainError", "failed", cause=deep)) is Lost.CLOSED
    assert lost_of(raised("TrainError", "failed", context=deep)) is Lost.CLOSED


def test_endless_chain_ends() -> None:
    link = Linked("RuntimeError", "Connection closed by peer")
    for _ in range(2_000):
        link = Linked("OSError", "x", cause=link)
    assert lost_of(raised("TrainError", "failed", cause=link)) is None


@given(st.text(max_size=3_000), st.integers(4, 400))
def test_cleaned_text_is_one_bounded_line_without_control_characters(text: str, most: int) -> None:
    shown = sentences.clean(text, most)
    assert len(shown) <= most
    assert shown.isprintable() or not shown
    assert "\n" not in shown


def test_direction_marks_and_escapes_are_dropped() -> None:
    assert sentences.clean("a\x1b[31mb\u202ec\u2028d\r\n e\x00") == "a[31mbc d e"


@pytest.mark.parametrize(
    ("words", "said"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_lists_read_as_people_write_them(words: list[str], said: str) -> None:
    assert sentences.listed(words) == said


def test_places_and_lengths_of_time() -> None:
    assert sentences.place(at(3, "f")) == "tests/test_x.py:3 in f"
    assert sentences.seconds(20_000_000) == "20 ms"
    assert sentences.seconds(3_000_000_000) == "3.0 s"


def test_dump_without_frames_is_of_an_interpreter_that_exits() -> None:
    text = (
        "Fatal Python error: Aborted\n\nCurrent thread 0x1 (most recent call first):\n  <no Python frame>\n"
    )
    assert frames_of_dump(text, 6) == ()
    assert frames_of_dump(text, 11) is None
    assert frames_of_dump("", 6) is None


def test_dump_with_frames_knows_the_projects_own() -> None:
    text = (
        "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n"
        '  File "/usr/lib/python3.11/ctypes.py", line 5 in string_at\n'
        '  File "test_a.py", line 7 in _native\n'
        'Extension modules: torch\n  File "/w/other.py", line 1 in f\n'
    )
    frames = frames_of_dump(text, 11)
    assert frames is not None
    assert [(one.function, one.in_project) for one in frames] == [("string_at", False), ("_native", True)]
