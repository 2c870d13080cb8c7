"""The results of a run of testcases without children, made column by column: it is most of a file's work."""

from itertools import repeat
from typing import Final

from app.domain.outcome import Result, TestId
from app.domain.results.durations import parse_durations
from app.domain.results.junit_words import PASSED, TELLING
from app.domain.results.plain_cases import Run

_SLOW: Final = TELLING | {"line", "lineno"}
_new: Final = tuple.__new__
"""Makes a named tuple of a tuple, without the call of its own `__new__`."""


def is_plain(run: Run) -> bool:
    """Whether no attribute of the run has to be looked at case by case."""
    return _SLOW.isdisjoint(run.names)


def results_of(run: Run, suite_path: str, suite_file: str | None) -> tuple[list[TestId], list[Result]]:
    """The tests of a plain run and their results, in its order: each of them passed."""
    columns = dict(zip(run.names, zip(*run.rows, strict=True), strict=True))
    none = ("",) * len(run.rows)
    classnames, files = columns.get("classname", none), columns.get("file", none)
    suites = [("" if classname else suite_path) for classname in classnames]
    names = columns.get("name", none)
    paths = [file or suite_file for file in files]
    told = columns.get("time")
    seconds = [None] * len(run.rows) if told is None else parse_durations(told)
    tests = list(map(_new, repeat(TestId), zip(files, suites, classnames, names, strict=True)))
    values = zip(tests, repeat(PASSED), seconds, paths, repeat(None), repeat(()), strict=False)
    return tests, list(map(_new, repeat(Result), values))
