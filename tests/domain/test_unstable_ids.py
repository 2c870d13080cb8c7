"""Ids that hold what differs from run to run are told apart from those that only hold numbers."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.outcome import TestId
from app.domain.results.formats import read_results
from app.domain.results.results_file import ReadStatus
from app.domain.unstable_ids import unstable_told, why_unstable


@pytest.mark.parametrize(
    ("label", "why"),
    [
        ("t::test_a[<A object at 0x7f3a1c2b4d50>]", "a memory address"),
        ("t::test_a[0x00007FF6A1B2C3D4]", "a memory address"),
        ("c::reads(com.a.Cart@1b6d3586)[1]", "an object's hash"),
        ("t::test_a[5f0c2f4e-8d3b-4c1a-9f00-0123456789ab]", "a UUID"),
        ("t::test_a[2026-05-11]", "a date or a time"),
        ("t::test_a[2026-05-11T09:14:02]", "a date or a time"),
        ("t::test_a[20260511091402]", "a date or a time"),
        ("t::test_a[1778490842.12]", "a date or a time"),
        ("t::test_a[/tmp/x/y]", "a temporary path"),
        ("t::test_a[C:\\Users\\x\\AppData\\Local\\Temp\\y]", "a temporary path"),
        ("t::test_a[pytest-of-ci/pytest-0]", "a temporary path"),
        ("t::test_a[pid=4711]", "a port or a process id"),
        ("t::test_a[localhost:43121]", "a port or a process id"),
        ("com.a.CartTest::[1] value", "no more than the number of a row"),
        ("[12]", "no more than the number of a row"),
    ],
)
def test_what_differs_is_named(label: str, why: str) -> None:
    assert why_unstable(label) == why


@pytest.mark.parametrize(
    "label",
    [
        "t::test_a[0xFFFFFFFF]",
        "t::test_a[0x1F-2]",
        "t::test_a[me@example.com]",
        "t::test_a[user@host1234]",
        "t::test_a[00000000-0000-0000-0000-000000000000]",
        "t::test_a[2000-13]",
        "t::test_a[120260511]",
        "t::test_a[tmp]",
        "t::test_tmp_path",
        "t::test_a[port=80]",
        "t::test_a[export_1234]",
        "t::test_a[localhost:80]",
        "c::method(String)[1]",
        "t::test_a[1]",
        "t::test_float16_20x17",
    ],
)
def test_what_is_the_same_in_every_run_is_not_named(label: str) -> None:
    assert why_unstable(label) is None


def test_unstable_ids_are_counted_and_the_first_are_named() -> None:
    tests = [TestId("", "", "t", f"a[{n} at 0x7f3a1c2b4d{n}0]") for n in range(5)]
    assert unstable_told([*tests, TestId("", "", "t", "b")]) == (
        "5 tests may bear another name in the next run, so their history cannot be followed: "
        "t::a[0 at 0x7f3a1c2b4d00] holds a memory address; t::a[1 at 0x7f3a1c2b4d10] holds a memory address; "
        "t::a[2 at 0x7f3a1c2b4d20] holds a memory address"
    )


def test_stable_ids_need_no_word() -> None:
    assert unstable_told([TestId("", "", "t", "a"), TestId("", "", "t", "b[2]")]) is None
    assert unstable_told([]) is None


def test_a_shape_beyond_what_is_looked_at_is_no_reason() -> None:
    assert unstable_told([TestId("", "", "t", "a" * 5000 + " at 0x7f3a1c2b4d50")]) is None


def test_a_file_with_unstable_ids_is_complete_and_says_so() -> None:
    text = '<testsuite name="s"><testcase classname="c" name="[1] value"/></testsuite>'
    reading = read_results(io.BytesIO(text.encode()))
    assert reading.status is ReadStatus.COMPLETE
    assert reading.doubts == ()
    told = "1 tests may bear another name in the next run, so their history cannot be followed: "
    assert reading.problems == (f"{told}c::[1] value holds no more than the number of a row",)


@given(st.lists(st.text("a0x7f@-[]/:pidtm\n 2", max_size=30), max_size=4))
def test_looking_at_all_at_once_misses_none(names: list[str]) -> None:
    tests = [TestId("", "", "c", name) for name in names]
    assert (unstable_told(tests) is not None) == any(why_unstable(test.label) for test in tests)
