"""`go test`'s output in a job log: plain, with -v, with -json, and as gotestsum prints it.

What decides: the tests are named by `--- FAIL: TestX (0.00s)` (go_package.py), their package by the line
`FAIL<tab>package` that follows, which also says that they failed at all: what precedes `ok<tab>package` was
printed by tests. `FAIL<tab>package [build failed]` is an error of the package, with the compiler's lines as
text. The class of a test is its package, as in results files. Output without any line of a package (a test
binary that is called by hand, a run that was stopped) names tests without a class, unless a script only
prints again what was told. gotestsum's summary tells failures again, and what a rerun made of them
(gotestsum_log.py). Only gotestsum counts.
"""

from typing import Final

from app.domain.joblog.go_build import GoBuilds
from app.domain.joblog.go_json import GoJson
from app.domain.joblog.go_package import PACKAGE, GoPackage
from app.domain.joblog.gotestsum_join import join_summary
from app.domain.joblog.gotestsum_log import GotestsumLog
from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.told_failures import MAX_TOLD, ToldFailures

_BEGINNINGS: Final = frozenset({"==", "ok", "? ", "pa", "fa", "ru", "WA", "# ", "##", "DO", "PA", '{"'})
"""With the word FAIL they are all that can begin something; other lines are of a test, or of no interest."""


class GoTestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self._was_cut = False
        self._told = ToldFailures()
        self._named: set[str] = set()
        self._counts: RunCounts | None = None
        self._is_plain = True
        self._begin_step()

    def _begin_step(self) -> None:
        self._package = GoPackage()
        self._builds = GoBuilds()
        self._json = GoJson(self._builds)
        self._gotestsum = GotestsumLog()
        self._shown: list[ToldFailure] = []

    @property
    def in_run(self) -> bool:
        return self._package.has_tests or self._json.in_run

    @property
    def cut(self) -> bool:
        step = self._package.cut or self._json.cut or self._gotestsum.cut or len(self._shown) >= MAX_TOLD
        return step or self._was_cut or self._told.cut

    @property
    def counts(self) -> RunCounts | None:
        recent = self._gotestsum.counts
        if self._counts is None or recent is None:
            return recent or self._counts
        return self._counts + recent

    def feed(self, line: LogLine) -> None:
        text = line.text
        if self._is_plain and text[:2] not in _BEGINNINGS and "FAIL" not in text:
            if not self._package.is_empty:
                self._package.feed(text, line.number)
            return
        if text.startswith(NEXT_STEP):
            self._end_step()
        elif not self._gotestsum.feed(line):
            self._read(text, line.number)
        self._is_plain = not self._builds.is_open and not self._gotestsum.in_failure

    def failures(self) -> tuple[ToldFailure, ...]:
        self._end_step()
        return self._told.in_order()

    def _read(self, text: str, number: int) -> None:
        if self._json.feed(text, number):
            self._show(self._json.take())
        elif package := PACKAGE.match(text):
            if package["cause"]:
                self._show([self._builds.failure(package["package"], package["cause"], number)])
            else:
                self._end_package(package["package"], number, has_failed=bool(package["failed"]))
        elif not self._builds.feed(text):
            self._package.feed(text, number)

    def _end_package(self, name: str, number: int, *, has_failed: bool) -> None:
        if has_failed:
            self._show(self._package.end(name, number))
        self._was_cut = self._was_cut or self._package.cut
        self._package = GoPackage()

    def _show(self, told: list[ToldFailure]) -> None:
        kept = told[: MAX_TOLD - len(self._shown)]
        self._shown += kept
        self._named.update(failure.printed for failure in kept)

    def _end_step(self) -> None:
        self._show(self._json.stop())
        stopped = self._package.stopped("")
        self._show([told for told in stopped if told.printed not in self._named])
        for told in join_summary(self._shown, self._gotestsum.outcomes()):
            self._told.add(*told)
        self._was_cut = self.cut
        self._counts = self.counts
        self._begin_step()
