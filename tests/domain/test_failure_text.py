"""What terminals, runners and launchers add is taken off, and writers are told apart."""

import pytest
from failure_texts import lines

from app.domain.failure_text import HEAD_CHARS, TAIL_CHARS, cap, part_streams


def lines_of(text: str) -> list[str]:
    return [line for stream in part_streams(text) for line in stream.lines]


@pytest.mark.parametrize(
    "dressed",
    [
        "\x1b[31mE   boom\x1b[0m",
        "#x1B[1m#x1B[31mE   boom#x1B[0m",
        "2026-05-11T09:14:02.1834000Z E   boom",
        "2026-05-11T09:14:02.1834000Z ##[error]E   boom",
        "[gw3] E   boom",
        "\ufeffE   boom",
        "E   boom\r",
    ],
)
def test_a_line_is_undressed(dressed: str) -> None:
    assert lines_of(dressed)[0] == "E   boom"


def test_ranks_that_wrote_over_each_other_are_parted_with_their_indentation() -> None:
    text = "[rank1]: Traceback\n[rank0]: other\n[rank1]:   File\n[default0]:last\nplain"
    streams = {stream.rank: stream.lines for stream in part_streams(text)}
    assert streams == {None: ["plain"], 0: ["other", "last"], 1: ["Traceback", "  File"]}


def test_captured_output_is_hearsay_until_the_next_section() -> None:
    text = lines(
        "told",
        "----- Captured stderr call -----",
        "heard",
        "--- a rule of its own",
        "[rank2]: also heard",
        "===== FAILURES =====",
        "told too",
    )
    streams = [(stream.rank, stream.captured, stream.lines) for stream in part_streams(text)]
    assert streams == [
        (None, False, ["told", "===== FAILURES =====", "told too"]),
        (2, True, ["also heard"]),
        (None, True, ["heard", "--- a rule of its own"]),
    ]


def test_the_line_that_names_a_worker_s_interpreter_says_nothing() -> None:
    assert part_streams("[gw0] linux -- Python 3.12.1 /opt/py/bin/python") == []


def test_a_short_text_is_whole() -> None:
    assert cap("short") == ("short", False)


def test_a_long_text_keeps_its_head_and_tail() -> None:
    text = "h" + "x" * (HEAD_CHARS + TAIL_CHARS) + "t"
    kept, truncated = cap(text)
    assert truncated
    assert (kept[0], kept[-1], len(kept)) == ("h", "t", HEAD_CHARS + TAIL_CHARS + 2)
