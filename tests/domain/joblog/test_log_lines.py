"""Lines of a job log come out clean, numbered as in the original, in bounded memory."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.joblog.log_lines import LINE_BYTES, LINE_CUT, LogLine, LogText, clean_line

STAMP = "2026-05-11T09:14:02.0131000Z"


def lines_of(raw: bytes, limit_bytes: int = 1_000_000) -> tuple[list[LogLine], LogText]:
    log = LogText(io.BytesIO(raw), limit_bytes)
    return list(log), log


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (f"{STAMP} hello", "hello"),
        (f"\ufeff{STAMP} hello", "hello"),
        (f"{STAMP} \ufeffhello", "hello"),
        (f"{STAMP} ", ""),
        (STAMP, ""),
        (f"{STAMP}x", f"{STAMP}x"),
        ("no stamp", "no stamp"),
        (f"{STAMP} ##[error]Process completed", "##[error]Process completed"),
        ("\x1b[36;1mpytest -n 2\x1b[0m", "pytest -n 2"),
        ("\x1b[38;5;196mred\x1b[m", "red"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x07", "link"),
        ("\x1b]0;never ended", "0;never ended"),
        ("\x1b(Bplain\x1b7", "plain"),
        ("\x1b\x1b[31m[32mx", "[32mx"),
        ("a\x00b\x07\tc\x9b", "ab\tc"),
        ("    indented", "    indented"),
    ],
)
def test_cleaning_takes_away_what_runner_and_terminal_added(raw: str, text: str) -> None:
    assert clean_line(raw) == text


PIECES = st.sampled_from(
    ["\x1b", "[", "]", "31m", "\ufeff", STAMP + " ", "\x07", "\\", "x", "(", "\x9b", "\n"]
)


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=20).map("".join)))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean_line(text)
    assert clean_line(once) == once
    assert "\x1b" not in once


def test_lines_are_numbered_as_in_the_original() -> None:
    lines, log = lines_of(f"\ufeff{STAMP} one\r\n\n\ufeff{STAMP} three\xff".encode() + b"\xff")
    assert lines == [LogLine(1, "one"), LogLine(2, ""), LogLine(3, "three\xff\N{REPLACEMENT CHARACTER}")]
    assert (log.lines, log.cut) == (3, False)


def test_a_log_over_the_limit_keeps_its_head_and_a_longer_tail() -> None:
    lines, log = lines_of(b"".join(b"line %04d\n" % number for number in range(1, 1001)), limit_bytes=7400)
    assert log.cut
    assert log.lines == 1000
    numbers = [line.number for line in lines]
    assert numbers == [*range(1, 26), *range(926, 1001)]
    assert all(line.text == f"line {line.number:04d}" for line in lines)


@given(st.lists(st.integers(0, 40), max_size=60), st.integers(0, 3000))
def test_what_is_kept_is_true_and_bounded(sizes: list[int], limit_bytes: int) -> None:
    original = ["x" * size for size in sizes]
    lines, log = lines_of("".join(line + "\n" for line in original).encode(), limit_bytes)
    assert all(line.text == original[line.number - 1] for line in lines)
    assert log.lines == len(original)
    assert log.cut == (len(lines) < len(original))
    assert sum(len(line.text) for line in lines) <= limit_bytes


def test_an_endless_line_is_cut_and_marked() -> None:
    lines, log = lines_of(b"x" * (LINE_BYTES * 3) + b"\nnext\n")
    assert lines[0].text == "x" * LINE_BYTES + LINE_CUT
    assert lines[1] == LogLine(2, "next")
    assert log.lines == 2


def test_a_line_of_just_the_longest_length_is_whole() -> None:
    lines, _ = lines_of(b"x" * LINE_BYTES + b"\n" + b"y" * LINE_BYTES)
    assert [line.text for line in lines] == ["x" * LINE_BYTES, "y" * LINE_BYTES]


@given(st.binary(max_size=300))
def test_any_bytes_are_lines(raw: bytes) -> None:
    lines, _ = lines_of(raw)
    assert len(lines) == raw.count(b"\n") + (not raw.endswith(b"\n") and raw != b"")
