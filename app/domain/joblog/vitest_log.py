"""vitest's output in a job log.

What decides: ` FAIL  path > suite > test` after ` RUN  v`. Several such lines above one error share it. A
file that could not be loaded (` FAIL  path [ path ]`) is an error of that file. The class is the file and the
name the rest, as in vitest's own JUnit file; a project's name in bars is left out of both.
"""

import re
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.shown_failure import ShownFailure
from app.domain.joblog.told_failures import ToldFailures
from app.domain.outcome import Errored, Failed, Outcome, Result, TestId

MAX_SHARED: Final = 1_000

_BEGIN: Final = re.compile(r"\s{0,4}(?:RUN|DEV) {1,3}v\d{1,4}\.\d")
_FAIL: Final = re.compile(
    r" FAIL {1,3}(?:\|[^|]{1,100}\| )?(?P<file>\S{1,500}\.\w{1,8})"
    r"(?: > (?P<name>\S.{0,2000})| \[ \S{1,500} \])$"
)
_COUNTS: Final = re.compile(r"\s{2,12}Tests {1,3}(.{1,200}) \(\d{1,9}\)$")
_COUNT: Final = re.compile(r"(\d{1,9}) (failed|passed|skipped)")
_PLACE: Final = re.compile(r"^ \u276f (?:.{1,200} )?(?P<path>[^\s:]{1,500}):(?P<line>\d{1,9}):\d{1,9}$")
_BORDER: Final = "\u23af" * 3
_END: Final = re.compile(r"\s{2,12}Duration {1,3}\d")


class VitestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self.counts: RunCounts | None = None
        self.in_run = False
        self._told = ToldFailures()
        self._named: list[tuple[str, str | None, int]] = []
        self._shown: ShownFailure | None = None

    @property
    def cut(self) -> bool:
        return self._told.cut

    def feed(self, line: LogLine) -> None:
        text = line.text
        if not self.in_run:
            self.in_run = text[:1] in {" ", "R", "D"} and _BEGIN.match(text) is not None
        elif text.startswith(" FAIL ") and (failed := _FAIL.match(text)):
            if self._shown is not None and self._shown.message:
                self._leave_tests()
            if len(self._named) < MAX_SHARED:
                self._named.append((failed["file"], failed["name"], line.number))
            self._shown = ShownFailure(line.number, _PLACE)
        elif text.startswith((_BORDER, *NEXT_STEP)) or _END.match(text):
            self._leave_tests()
            self.in_run = text.startswith(_BORDER)
        elif counts := _COUNTS.match(text):
            self._count(counts[1])
        elif self._shown is not None:
            self._shown.add(text)

    def failures(self) -> tuple[ToldFailure, ...]:
        self._leave_tests()
        return self._told.in_order()

    def _count(self, told: str) -> None:
        counts = RunCounts(**{word: int(number) for number, word in _COUNT.findall(told)})
        self.counts = counts if self.counts is None else self.counts + counts

    def _leave_tests(self) -> None:
        shown, self._shown = self._shown, None
        named, self._named = self._named, []
        if shown is None:
            return
        for file, name, number in named:
            kind = Errored if name is None else Failed
            outcome: Outcome = kind(shown.message, shown.text, shown.cut)
            test = TestId("", "", file, name or file)
            result = Result(test, outcome, path=shown.path or file, line=shown.line)
            self._told.add(result, file if name is None else f"{file} > {name}", number)
