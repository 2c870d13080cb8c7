"""Masks: each row's own example, what is kept, and that masking a masked line changes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.mask import Mask
from app.domain.masking import MASKED_CHARS, MASKS, mask

TOKENS = (
    "0x1f 127.0.0.1:80 [::1]:9 /tmp/ tmpab12 rank -2 .5 1e-5 [ ] ( , exit&code& 137 'a1' \" @ :// port& GiB"
    " ms % 2026-05-11 deadbeef1 = _ <num> 0 / . : &"
)
PIECES = [token.replace("&", " ") for token in TOKENS.split(" ")]
LINES = st.text(max_size=300) | st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@pytest.mark.parametrize("each", MASKS, ids=lambda each: each.name)
def test_example_is_masked_as_the_table_says(each: Mask) -> None:
    assert mask(each.example) == each.masked


@pytest.mark.parametrize("each", MASKS, ids=lambda each: each.name)
def test_no_other_row_does_what_a_row_is_there_for(each: Mask) -> None:
    line = each.example
    for other in MASKS:
        if other is not each:
            line = other.pattern.sub(other.replacement, line)
    assert line != each.masked


@pytest.mark.parametrize(
    "kept",
    [
        "codec can't decode byte in utf-8, utf-16-le or iso-8859-15",
        "expected float16 or int64, got bfloat16 on x86_64",
        "[Errno 28] No space left on device",
        "[WinError 183] Cannot create a file",
        "HTTP 404 Not Found",
        "HTTP/1.1 503 Service Unavailable",
        "404 Client Error: Not Found",
        "status code 502",
        "<Response [429]>",
        "terminated with signal SIGSEGV",
        "ended by signal 11",
        "exit code 2",
        "loss is nan, norm is -inf",
        "'conv2d.weight'",
        "'layer.0'",
        '"test_v2"',
        "backend nccl on cpu, not gloo",
        "test_case_2 in module3",
        "sha256 of md5",
        "requires Python 3.12",
        "CUDA 12.4",
    ],
)
def test_what_names_a_failure_mode_is_kept(kept: str) -> None:
    assert mask(kept) == kept


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("KeyError: 'a'", "KeyError: 'b'"),
        ("no attribute 'v1'", "no attribute 'v2'"),
        ("HTTP 500", "HTTP 502"),
        ("[Errno 2] gone", "[Errno 13] gone"),
        ("exit code 1", "exit code 139"),
        ("float16", "float32"),
        ("rank of a matrix", "rank 3"),
    ],
)
def test_different_modes_stay_different(one: str, other: str) -> None:
    assert mask(one) != mask(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("exit code 139", "exit code -11"),
        ("in /opt/a/lib/python3.11/site-packages/x.py", "in /home/u/.venv/lib/python3.12/site-packages/x.py"),
        ("in /usr/lib/python3.11/queue.py", "in /opt/python/lib/python3.12/queue.py"),
        ("/tmp/tmpab12cd/f.bin", "/var/folders/zz/q1_x/T/pytest-of-u/pytest-4/f.bin"),
        ("got [1, 2]", "got [1.5]"),
        ("got [[1, 2], [3]]", "got [[7]]"),
        ("D:\\a\\app\\app\\x.txt", "/home/runner/work/app/app/x.txt"),
        ("is not defined. Did you forget to import 'sys'?", "is not defined"),
        ("-1.5e-07", "1,024"),
    ],
)
def test_the_same_mode_in_two_runs_is_equal(one: str, other: str) -> None:
    assert mask(one) == mask(other)


def test_random_name_in_a_temporary_folder_is_dropped() -> None:
    assert mask("gone: /tmp/tmpk3x9aa_q") == "gone: <tmp>"
    assert mask("gone: /tmp") == "gone: <tmp>"


def test_a_long_line_is_cut_before_masking() -> None:
    assert len(mask("x" * (2 * MASKED_CHARS))) == MASKED_CHARS


@given(LINES)
def test_masking_is_idempotent(line: str) -> None:
    once = mask(line)
    assert mask(once) == once


@given(st.text(alphabet="abcdefg XYZ.,'\"!?", max_size=80))
def test_words_are_never_masked(words: str) -> None:
    assert mask(words) == words


@given(st.integers(0, 2**48), st.integers(0, 2**48))
def test_addresses_never_matter(one: int, other: int) -> None:
    assert mask(f"<Foo object at {one:#x}>") == mask(f"<Foo object at {other:#x}>")
