"""A stranger's file is linted in a process of its own: whatever becomes of that, there is an answer."""

import pytest

from app.domain.lint.linted import lint
from worker.linting_apart import Lint, lint_apart

WEAK = """\
import multiprocessing


def work(results):
    results.put(1)


def test_work():
    results = multiprocessing.Queue()
    process = multiprocessing.Process(target=work, args=(results,))
    process.start()
    process.join()
    assert process.exitcode == 0
"""


def test_what_is_found_apart_is_what_is_found_here() -> None:
    found = lint(WEAK, "tests/test_work.py")
    assert found
    assert lint_apart(WEAK, "tests/test_work.py") == Lint(found, len(found))


@pytest.mark.parametrize(
    "source", ["def broken(:\n", "x = " + "(" * 3000 + ")" * 3000, "x = 1\0", "\ud7ff = = 1"]
)
def test_what_cannot_be_linted_is_told_why(source: str) -> None:
    told = lint_apart(source, "a.py")
    assert (told.findings, told.found) == ((), 0)
    assert told.note.startswith("It could not be linted: ")


def test_what_takes_too_long_is_given_up() -> None:
    assert lint_apart(WEAK, "a.py", within_s=0.001) == Lint(note="It takes too long to lint.")


def test_a_child_that_breaks_down_breaks_nothing_else() -> None:
    told = lint_apart(WEAK, "a.py", child="worker.no_such_module")
    assert told == Lint(note="The lint broke down on it; the worker's log says why.")
