"""Files are known by their first bytes, whatever they are called."""

import pytest

from app.domain.content_kind import has_signs_of_a_log, is_job_log, why_binary

STAMP = "2026-05-11T09:14:02.0131000Z "


@pytest.mark.parametrize(
    "head",
    [
        f"{STAMP}Current runner version: '2.325.0'",
        f"\ufeff{STAMP}##[group]Operating System",
        "2026-05-11T09:14:02.0131000Z\n",
        f"test (3.12)\tRun tests\t\ufeff{STAMP}##[group]Run pytest",
        "##[group]Run pytest",
        "Current runner version: '2.325.0'",
        f"{STAMP}<testsuite><testcase/></testsuite>",
    ],
)
def test_what_the_runner_stamped_or_marked_is_its_log(head: str) -> None:
    assert is_job_log(head.encode())


@pytest.mark.parametrize(
    "head", ["<testsuite/>", "console text\n<testsuite/>", "", "2026-05-11", "\t\t\n" * 9]
)
def test_other_text_is_not_called_a_job_log(head: str) -> None:
    assert not is_job_log(head.encode())


@pytest.mark.parametrize(
    "head",
    [
        "==== test session starts ====",
        "some words\nTraceback (most recent call last):\n",
        "[rank1]: Traceback (most recent call last):\n",
        "2026-05-11 09:14:02 worker up",
        "[2026/05/11 09:14:02] worker up",
        "tests/test_a.py::test_b FAILED",
        "RuntimeError: gone",
        "run.sh: line 1:  1950 Killed   pytest",
        "--- FAIL: TestA (0.00s)",
        "[  FAILED  ] Suite.Case",
        "test tests::it_works ... ok",
        "Ran 3 tests in 0.001s",
    ],
)
def test_text_of_a_test_run_has_signs_of_it(head: str) -> None:
    assert has_signs_of_a_log(head.encode())


@pytest.mark.parametrize(
    "head",
    [
        "this is no XML!",
        "<html>ERROR</html>",
        '{"message": "Error: not found"}',
        '[\n {"level": "ERROR"}]',
        '["ERROR"]',
        "",
    ],
)
def test_markup_and_other_words_have_none(head: str) -> None:
    assert not has_signs_of_a_log(head.encode())


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\x1f\x8b\x08", "a gzip archive, which is not unpacked here"),
        (b"ab\x00\x00\x00cd", "binary, no text"),
    ],
)
def test_a_file_that_is_no_text_is_called_by_its_name(head: bytes, said: str) -> None:
    assert why_binary(head) == said


@pytest.mark.parametrize(
    "head", [b"", b"text", "<a/>".encode("utf-16"), "<a/>".encode("utf-16-be"), b"a" * 99 + b"\0"]
)
def test_text_is_none_of_them_in_utf_16_and_with_a_stray_nul_too(head: bytes) -> None:
    assert why_binary(head) is None
