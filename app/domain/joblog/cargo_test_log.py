"""The output of `cargo test` in a job log.

What decides: `test NAME ... FAILED` between `running N tests` and `test result:`; an `ok` result says that
what looked like failures was printed by tests. A run whose process died has no result, and its failures
stand. Sections `---- NAME stdout ----` give texts and places. The class is the test binary without its hash,
so that one name in two binaries is two tests.
"""

import re
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.shown_failure import ShownFailure
from app.domain.joblog.told_failures import MAX_TOLD, ToldFailures
from app.domain.outcome import Failed, Result, TestId

_BINARY: Final = re.compile(
    r"\s{1,12}Running (?:.{1,300} \()?[^\s()]{0,500}?(?P<name>[\w-]{1,200}?)(?:-[0-9a-f]{16})?(?:\.exe)?\)?$"
    r"|\s{1,12}Doc-tests (?P<doc>[\w-]{1,200})$"
)
_BEGIN: Final = re.compile(r"running \d{1,9} tests?$")
_FAILED: Final = re.compile(r"test (?P<name>\S.{0,1000}?)(?: - should panic)? \.\.\. (?:.{0,10000})FAILED$")
_SECTION: Final = re.compile(r"---- (?P<name>\S.{0,1000}) stdout ----$")
_RESULT: Final = re.compile(
    r"test result: (?P<word>ok|FAILED)\. (?P<passed>\d{1,9}) passed; (?P<failed>\d{1,9}) failed;"
    r" (?P<ignored>\d{1,9}) ignored;"
)
PANIC: Final = re.compile(
    r"panicked at (?:'.{0,4000}', )?(?P<path>[^\s:']{1,500}):(?P<line>\d{1,9}):\d{1,9}:?$"
)


class CargoTestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self.counts: RunCounts | None = None
        self.in_run = False
        self._told = ToldFailures()
        self._binary = ""
        self._failed: dict[str, ShownFailure] = {}
        self._shown: ShownFailure | None = None

    @property
    def cut(self) -> bool:
        return self._told.cut

    def feed(self, line: LogLine) -> None:
        text = line.text
        if not self.in_run:
            self._feed_outside(text)
        elif text.startswith("test "):
            self._feed_test(line)
        elif text.startswith("---- ") and (section := _SECTION.match(text)):
            self._shown = self._failed.get(section["name"])
        elif text == "failures:":
            self._shown = None
        elif text.startswith(NEXT_STEP) or _BEGIN.match(text):
            self._end()
            self.in_run = not text.startswith(NEXT_STEP)
        elif self._shown is not None:
            self._shown.add(text)

    def failures(self) -> tuple[ToldFailure, ...]:
        self._end()
        return self._told.in_order()

    def _feed_outside(self, text: str) -> None:
        if _BEGIN.match(text):
            self.in_run = True
        elif text[:1] == " " and (binary := _BINARY.match(text)):
            self._binary = binary["name"] or binary["doc"]

    def _feed_test(self, line: LogLine) -> None:
        if result := _RESULT.match(line.text):
            counts = RunCounts(
                failed=int(result["failed"]), passed=int(result["passed"]), skipped=int(result["ignored"])
            )
            self.counts = counts if self.counts is None else self.counts + counts
            if result["word"] == "ok":
                self._failed.clear()
            self._end()
        elif (failed := _FAILED.match(line.text)) and len(self._failed) < MAX_TOLD:
            self._failed.setdefault(failed["name"], ShownFailure(line.number, PANIC))

    def _end(self) -> None:
        for name, shown in self._failed.items():
            outcome = Failed(shown.message, shown.text, shown.cut)
            result = Result(TestId("", "", self._binary, name), outcome, path=shown.path, line=shown.line)
            self._told.add(result, name, shown.number)
        self._failed = {}
        self._shown = None
        self.in_run = False
