"""What a results file is by its content, and what reading one gives: results, claims and problems."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal

from app.domain.outcome import Result

MAX_TESTS: Final = 200_000
"""Test records read of one file, and of one job; more is no test suite but an attack on our memory."""


class ReadStatus(StrEnum):
    COMPLETE = "complete"
    PARTIAL = "partial"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Declared:
    """The root's own attributes, else their sum over its suites: claims, often wrong, or None."""

    tests: int | None = None
    failures: int | None = None
    errors: int | None = None
    skipped: int | None = None


@dataclass(frozen=True, slots=True)
class Records:
    """The test records as they stand in the file, before records of one test are merged.

    `passed` counts records without a `failure`, `error` or skipped child of their own. Some may be attempts
    whose outcome the file hides or tells in `rerun*` children, so it is no count of tests that passed.
    """

    cases: int = 0
    passed: int = 0
    failed: int = 0
    errored: int = 0
    skipped: int = 0
    flaky_reruns: int = 0


@dataclass(frozen=True, slots=True)
class Counted:
    """What a producer may have counted for its claims beside the records themselves.

    `red_children` are failures and errors: several can stand in one record, as those of pytest's subtests,
    or beside all of them. `subtests` says that parts of tests may be counted that are no records. `of_suites`
    is the number of tests that the outer suites claim together.
    """

    red_children: int = 0
    subtests: bool = False  # of pytest, which lists none; a TRX file's rows of data count as tests here
    of_suites: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What one file gave. `partial`: something was repaired, cut or left out; `refused`: no result was taken.

    `reason` says why a file was refused or is partial. A complete file may still have problems; `doubts` are
    those among them that leave open what its tests did. Whether it lists all that it claims is told by
    `completeness.shortfall`.
    """

    format: Literal["junit", "nunit", "xunit.net", "trx"] | None
    status: ReadStatus
    reason: str | None = None
    results: tuple[Result, ...] = ()
    declared: Declared = field(default_factory=Declared)
    problems: tuple[str, ...] = ()
    records: Records = field(default_factory=Records)
    doubts: tuple[str, ...] = ()
    counted: Counted = Counted()


JUNIT_ROOTS: Final = frozenset({"testsuites", "testsuite", "testrun", "testcase"})

_OTHER_ROOTS: Final = {
    "html": "an HTML page, not a results file",
    "assemblies": "an xUnit.net file, not JUnit",
    "assembly": "an xUnit.net file, not JUnit",
    "test-run": "an NUnit 3 file, not JUnit",
    "test-results": "an NUnit 2 file, which is not read: NUnit 3 can write its own format",
    "TestRun": "a TRX file, not JUnit",
    "phpunit": "PHPUnit's configuration, not a results file",
    "gtester": "GLib's own gtester format, not JUnit",
    "failsafe-summary": "a summary without tests, not a results file",
    "coverage": "a coverage report, not a results file",
    "checkstyle": "a style report, not a results file",
}


def refusal_of_root(name: str) -> str | None:
    """Say why a document with this root (its local name) holds no JUnit results; None if it may."""
    return _OTHER_ROOTS.get(name) or _OTHER_ROOTS.get(name.lower() if name.isupper() else name)


def refusal_of_text(start: str) -> str:
    """Say what a file without any XML is, judging by its first characters."""
    stripped = start.lstrip()
    if not stripped:
        return "an empty file"
    if stripped[0] in "{[":
        return "JSON, not XML"
    if stripped.startswith("PK"):
        return "a zip archive, not XML"
    return "no XML in it"
