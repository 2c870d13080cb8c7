"""Test folders are no packages, so a module's name is its only name: two alike would stand for each other."""

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]
NEVER_IMPORTED = {"conftest.py", "__main__.py"}


def test_no_two_modules_of_the_tests_have_one_name() -> None:
    modules = (one for one in TESTS.rglob("*.py") if "snippets" not in one.parts)  # those are read as text
    names = Counter(path.name for path in modules if path.name not in NEVER_IMPORTED)
    assert [name for name, count in names.items() if count > 1] == []
