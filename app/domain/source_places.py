"""Where in its repository a test's source may stand, by what a results file says of it: hostile text."""

import re
from typing import Final

from app.domain.outcome import TestId
from app.domain.repo_path import find_root, likely_files, repo_relative

MOST_PLACES: Final = 3
"""Paths that are tried; each costs a request."""
LONGEST_PATH: Final = 300

_TEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]{1,200}|[^/]{1,200}_test)\.py$")


def source_places(test: TestId, path: str | None) -> tuple[str, ...]:
    """Paths in the repository, the likeliest first; none where no Python file of it is meant.

    What is told as a path comes first, then what the dotted name suggests: files that pytest collects by
    their name, then the others, longer ones first.
    """
    told = [] if path is None else [repo_relative(path, find_root([path], test))]
    likely = sorted(likely_files(test), key=lambda one: _TEST_FILE.search(one) is None)
    found = dict.fromkeys(one for one in (*told, *likely) if one is not None and _is_place(one))
    return tuple(found)[:MOST_PLACES]


def _is_place(path: str) -> bool:
    parts = path.split("/")
    return (
        path.endswith(".py")
        and len(path) <= LONGEST_PATH
        and path.isprintable()
        and "\\" not in path
        and {"", ".", ".."}.isdisjoint(parts)
    )
