"""The output of the tests of one Go package, as `go test` prints it with and without -v.

A failed test is a line `--- FAIL: TestA/sub (0.00s)`, with any indent, also glued to what a test printed; a
parent that failed by its subtest is one of its own, as go-junit-report has it. With -v a test has to have
begun (`=== RUN`), for tests of test runners print such lines. Where the package failed, the test that still
ran is an error, if it was alone or the dump of a panic names it.
"""

import re
from typing import Final

from app.domain.bounded_text import BoundedText
from app.domain.joblog.go_dump import BEGINNINGS, GoDump
from app.domain.joblog.run_reader import ToldFailure
from app.domain.outcome import Errored, Failed, Outcome, Result, TestId

MAX_CASES: Final = 20_000
"""Tests of one package that run or have failed."""

PACKAGE: Final = re.compile(
    r"(?:(?P<failed>FAIL)|ok  |\?   )\t(?P<package>[^\s\[]{1,1000})"
    r"(?: (?P<cause>\[[a-z ]{1,40} failed\])|\t|$)"
)
"""The line that ends the output of a package."""
NAME: Final = r"(?:Test|Fuzz|Example|Benchmark)\S{0,1000}"
_EVENT: Final = re.compile(rf"=== (?P<word>RUN|PAUSE|CONT|NAME) {{1,3}}(?P<name>{NAME})?$")
_RESULT: Final = re.compile(
    rf"--- (?P<word>FAIL|PASS|SKIP|BENCH): (?P<name>{NAME})(?: \(\d{{1,9}}\.\d{{1,3}}s\))?$"
)
_PLACE: Final = re.compile(r"\s{0,80}(?P<path>(?!testing\.go:)[^\s:]{1,500}\.go):(?P<line>\d{1,7}): ")
_RACE: Final = "WARNING: DATA RACE"
_RACE_FOUND: Final = "race detected during execution of test"
FAILED: Final = "Failed"
"""The message that results files of Go have."""
OF_PACKAGE: Final = "Failure"
"""What go-junit-report calls the failure of a package without a failed test."""


class GoCase:
    """One test that runs or has failed; its place is known where one line alone names one."""

    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.number = line
        self.has_failed = False
        self.is_paused = False
        self._text = BoundedText()
        self._places: set[tuple[str, int]] = set()

    def add(self, line: str) -> None:
        self._text.add(line + "\n")
        if len(self._places) < 2 and (place := _PLACE.match(line)):  # noqa: PLR2004 - one place or several
            self._places.add((place["path"], int(place["line"])))

    def fail(self, line: int) -> None:
        if not self.has_failed:
            self.number = line
        self.has_failed = True

    def told(self, package: str, dump: GoDump | None, *, is_parent: bool) -> ToldFailure:
        """`dump`: that of the panic which this test is to blame for. A parent failed elsewhere."""
        is_placed = len(self._places) == 1 and not is_parent
        path, line = next(iter(self._places)) if is_placed else (None, None)
        test = TestId("", "", package, self.name)
        return ToldFailure(Result(test, self._outcome(dump), path=path, line=line), self.name, self.number)

    def _outcome(self, dump: GoDump | None) -> Outcome:
        text, cut = str(self._text).strip("\n"), self._text.cut
        if dump is not None:
            text, cut = f"{text}\n{dump.text}".strip("\n"), cut or dump.cut
        kind = Failed if self.has_failed else Errored
        words = FAILED if self.has_failed else "No test result found"
        return kind(dump.words if dump else words, text, cut)


class GoPackage:
    """Takes the lines of one package in order."""

    def __init__(self) -> None:
        self.cut = False
        self._cases: dict[str, GoCase] = {}
        self._current: GoCase | None = None
        self._takes_all = False
        self._is_verbose = False
        self._output = BoundedText()
        self._race: BoundedText | None = None
        self._dump: GoDump | None = None

    @property
    def is_empty(self) -> bool:
        return not self._cases and not self._is_verbose and self._dump is None and self._race is None

    @property
    def has_tests(self) -> bool:
        return self._is_verbose or bool(self._cases)

    def feed(self, line: str, number: int) -> None:
        event = _EVENT.match(line) if line.startswith("=== ") else None
        at = line.rfind("--- ")
        result = _RESULT.match(line, at) if at >= 0 else None
        if event is not None:
            self._follow(event["word"], event["name"], number)
        elif result is not None:
            self._add(line[:at])
            self._finish(result["word"], result["name"], number)
        elif self._dump is not None:
            self._dump.add(line)
        elif line.startswith(BEGINNINGS):
            self._dump = GoDump(line)
            self._dump.add(line)
        else:
            self._add(line)

    def end_test(self, name: str, number: int, *, has_failed: bool) -> None:
        """What -json says beside the output."""
        self._finish("FAIL" if has_failed else "PASS", name, number)

    def attribute(self, name: str) -> None:
        """What follows is of this test."""
        self._current, self._takes_all = self._cases.get(name), True

    def _add(self, text: str) -> None:
        if not text.strip():
            return
        if text == _RACE and not self._takes_all:
            self._race, self._current = BoundedText(), None  # reported above the test that it belongs to
        if self._current is not None and (self._takes_all or text[0] in " \t"):
            if self._race is not None and text.endswith(_RACE_FOUND):
                self._current.add(str(self._race).strip("\n"))
                self._race = None
            self._current.add(text)
        elif self._race is not None:
            self._race.add(text + "\n")
        elif not self.is_empty:
            self._output.add(text + "\n")

    def _follow(self, word: str, name: str | None, number: int) -> None:
        self._is_verbose = True
        self._current, self._takes_all = None, True
        if name is None:
            return
        case = self._case(name, number)
        if case is not None:
            case.is_paused = word == "PAUSE"
            self._current = None if case.is_paused else case

    def _finish(self, word: str, name: str, number: int) -> None:
        self._takes_all = False
        if word == "FAIL" and (name in self._cases or not self._is_verbose):
            self._current = self._case(name, number)
            if self._current is not None:
                self._current.fail(number)
        elif word != "FAIL":
            self._current = None
            if (
                name in self._cases and not self._cases[name].has_failed
            ):  # -count repeats tests; red stays red
                del self._cases[name]

    def _case(self, name: str, number: int) -> GoCase | None:
        if name not in self._cases:
            if len(self._cases) >= MAX_CASES:
                self.cut = True
                return None
            self._cases[name] = GoCase(name, number)
        return self._cases[name]

    def failed(self) -> list[str]:
        """Names of the tests that have failed so far."""
        return [case.name for case in self._cases.values() if case.has_failed]

    def stopped(self, package: str) -> list[ToldFailure]:
        """What had failed when the output ended; of what still ran nothing is known."""
        return self._told(package, [case for case in self._cases.values() if case.has_failed], [])

    def end(self, package: str, number: int) -> list[ToldFailure]:
        """The failures of a package that failed; without any test to blame, the package is one itself."""
        blamed = self._blamed()
        known = [case for case in self._cases.values() if case.has_failed or case.name in blamed]
        known += [GoCase(name, number) for name in blamed if name not in self._cases]
        told = self._told(package, known, blamed)
        if not told or (self._dump is not None and not blamed):
            told.append(self._of_package(package, number))
        return told

    def _told(self, package: str, cases: list[GoCase], blamed: list[str]) -> list[ToldFailure]:
        parents = {case.name.rpartition("/")[0] for case in cases}
        return [
            case.told(package, self._dump if case.name in blamed else None, is_parent=case.name in parents)
            for case in cases
        ]

    def _blamed(self) -> list[str]:
        """The tests that a panic or an exit belongs to; of one that still ran, also the parents."""
        named = self._dump.tests() if self._dump else []
        guilty = [name for name in self.failed() if name in named or _root(name) in named]
        if guilty:
            return guilty[-1:]
        running = [case.name for case in self._cases.values() if not (case.has_failed or case.is_paused)]
        if running and all(f"{running[-1]}/".startswith(f"{name}/") for name in running):
            return running
        return [name for name in running if name in named or _root(name) in named] or named

    def _of_package(self, package: str, number: int) -> ToldFailure:
        dump = self._dump
        text = f"{str(self._output).strip()}\n{dump.text if dump else ''}".strip("\n")
        cut = self._output.cut or (dump is not None and dump.cut)
        outcome = Errored(dump.words if dump else "Runtime error", text, cut)
        return ToldFailure(Result(TestId("", "", package, OF_PACKAGE), outcome), package, number)


def _root(name: str) -> str:
    return name.partition("/")[0]
