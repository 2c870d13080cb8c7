"""The names that unittest prints of tests, as the ids that a results file gives them."""

import re
from typing import Final

from app.domain.outcome import TestId

HOLDER_SUITE: Final = "unittest.suite._ErrorHolder"
"""The suite of what fails for a whole class or module, in the results file of unittest-xml-reporting."""

_FIXTURES: Final = frozenset({"setUpClass", "tearDownClass", "setUpModule", "tearDownModule"})
_NAMED: Final = re.compile(
    r"(?P<name>[^\s(].{0,500}?) \((?P<path>[A-Za-z_][\w.]{0,1000})\)(?P<subtest>(?: [\[(].{0,2000})?)$"
)
_DOTTED: Final = re.compile(r"(?P<path>[A-Za-z_][\w.]{0,1000})\.(?P<name>\w{1,500})$")


def read_test(printed: str) -> TestId | None:
    """None for what names no test.

    `test_x (mod.Class)` until Python 3.10, `test_x (mod.Class.test_x)` since 3.11, `mod.Class.test_x` of
    runners that print the bare id. A subtest's description is part of the name. `setUpClass (mod.Class)` is a
    name without a class. A module that cannot be imported is a test of `unittest.loader._FailedTest`.
    """
    named = _NAMED.match(printed)
    if named is None:
        dotted = _DOTTED.match(printed)
        return TestId("", "", dotted["path"], dotted["name"]) if dotted else None
    if named["name"] in _FIXTURES:
        return TestId("", HOLDER_SUITE, "", printed)
    return TestId("", "", named["path"].removesuffix(f".{named['name']}"), named["name"] + named["subtest"])


def without_subtest(test: TestId) -> TestId:
    return test._replace(name=test.name.partition(" ")[0]) if test.classname else test
