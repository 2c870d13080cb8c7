"""The output of `cargo test` in a job log: the runs of its test binaries, one after another.

What decides: what a binary's own result says (`cargo_run`). A run without one stands as far as it came: its
process died, and the tests that it does not name are unknown; one that is known to have run then is an error,
unless the process was killed from outside. Errors of the compiler name no test. The class is the binary as
cargo names it, without its hash, so that one name in two binaries is two tests; the name is the path in it.
"""

import re
from typing import Final

from app.domain.joblog.cargo_run import CargoRun
from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP, tells_death
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.rust_failure import RustFailure
from app.domain.joblog.told_failures import ToldFailures
from app.domain.outcome import Errored, Failed, Outcome, Result, TestId

_BINARY: Final = re.compile(
    r" {2,12}(?:Running (?:\S.{0,300} \()?[^()]{1,1000}[/\\](?P<file>[\w.-]{1,300})\)?"
    r"|Doc-tests (?P<doc>[\w-]{1,200}))$"
)
_HASH: Final = re.compile(r"-[0-9a-f]{16}$")
_BEGIN: Final = re.compile(r"running (\d{1,9}) tests?(?: \(shuffle seed: \d{1,20}\))?$")
_DIED: Final = "  process didn't exit successfully: "
_HOW: Final = re.compile(r"\((?:signal|exit (?:status|code)): (?P<code>\w{1,20}).{0,200}\)$")
_FROM_OUTSIDE: Final = frozenset({"2", "9", "15", "124", "130", "137", "143"})
"""SIGINT, SIGKILL and SIGTERM, as signals and as the exit codes that shells make of them."""


class CargoTestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self.counts: RunCounts | None = None
        self._told = ToldFailures()
        self._binary = ""
        self._run: CargoRun | None = None
        self._has_cut = False

    @property
    def in_run(self) -> bool:
        return self._run is not None

    @property
    def cut(self) -> bool:
        return self._told.cut or self._has_cut

    def feed(self, line: LogLine) -> None:
        text = line.text
        if self._run is None:
            self._feed_outside(text)
            return
        if text.startswith(NEXT_STEP) or not self._run.are_told:
            self._feed_border(text, self._run)
        if self._run is not None:
            self._run.feed(line)
            if self._run.counts is not None:
                self._end()

    def failures(self) -> tuple[ToldFailure, ...]:
        self._end()
        return self._told.in_order()

    def _feed_outside(self, text: str) -> None:
        if text.startswith("running ") and (begin := _BEGIN.match(text)):
            self._run = CargoRun(int(begin[1]))
        elif text.startswith("  ") and (binary := _BINARY.match(text)):
            self._binary = binary["doc"] or _HASH.sub("", binary["file"].removesuffix(".exe"))
        elif self._binary and text.startswith(NEXT_STEP):
            self._binary = ""

    def _feed_border(self, text: str, run: CargoRun) -> None:
        """End a run whose result is missing. While failures are told, such lines are words of tests."""
        if text.startswith(_DIED):
            how = _HOW.search(text)
            self._die(run, how[0] if how and how["code"] not in _FROM_OUTSIDE else "")
        elif run.crashed() is not None and tells_death(text):
            self._die(run, text)
        elif text.startswith(NEXT_STEP):
            self._end()
            self._binary = ""
        elif text.startswith(("  ", "running ")) and (
            _BINARY.match(text) or (run.crashed() is None and _BEGIN.match(text))
        ):
            self._end()
            self._feed_outside(text)

    def _die(self, run: CargoRun, how: str) -> None:
        crashed = run.crashed()
        if how and crashed is not None:
            name, shown = crashed
            message = f"the process ended while this test ran: {how}"
            self._add(name, shown, Errored(message, shown.text, shown.cut))
        self._end()

    def _end(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        for name, shown in run.failed.items():
            self._add(name, shown, Failed(shown.message, shown.text, shown.cut))
        if run.counts is not None:
            self.counts = run.counts if self.counts is None else self.counts + run.counts
        self._has_cut = self._has_cut or run.cut

    def _add(self, name: str, shown: RustFailure, outcome: Outcome) -> None:
        result = Result(TestId("", "", self._binary, name), outcome, path=shown.path, line=shown.line)
        self._told.add(result, name, shown.number)
