"""What one Rust test binary prints, from `running N tests` to `test result:`.

Tests print too, also what looks like results. The result is the binary's own if its numbers add up to N, or
if it counts as many failures as the list `failures:` right above it has names. That list then decides which
tests failed: a result can stand glued behind what another test printed, and with -q there is none.
"""

import re
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.run_reader import RunCounts
from app.domain.joblog.rust_failure import RustFailure
from app.domain.joblog.told_failures import MAX_TOLD

_RESULT: Final = re.compile(
    r"test result: (?:ok|FAILED)\. (?P<passed>\d{1,9}) passed; (?P<failed>\d{1,9}) failed;"
    r" (?P<ignored>\d{1,9}) ignored; (?P<measured>\d{1,9}) measured;"
)
_SECTION: Final = re.compile(r"---- (?P<name>\S.{0,1000}) stdout ----$")
_OVERFLOW: Final = re.compile(r"thread '(?P<name>[^']{1,1000})' (?:\(\d{1,20}\) )?has overflowed its stack$")
_KINDS: Final = (" - should panic", " - compile fail", " - compile")
"""What stands behind a test's name in its result, and not in the list."""
_CARGO: Final = ("error: test failed, to rerun pass", "Caused by:")
"""What cargo says below the words of a test that its process died in."""
_INDENT: Final = "    "


class CargoRun:
    """Takes the lines in order. `counts` is None until the binary's own result was read."""

    def __init__(self, expected: int) -> None:
        self.counts: RunCounts | None = None
        self.cut = False
        self.failed: dict[str, RustFailure] = {}
        self.are_told = False
        """Whether the failures are being told, so that no test runs any more."""
        self._expected = expected
        self._passed: set[str] = set()
        self._sections: dict[str, RustFailure] = {}
        self._shown: RustFailure | None = None
        self._listed: dict[str, int] | None = None
        self._running: tuple[str, RustFailure] | None = None

    def feed(self, line: LogLine) -> None:
        text = line.text
        if text.startswith("test result: ") and self._read_result(text):
            return
        if text == "failures:":
            self.are_told, self._listed, self._running = True, {}, None
        elif self.are_told:
            self._read_told(line)
        elif text.startswith("test "):
            self._read_test(line)
        elif self._running is not None:
            self._read_printed(text, *self._running)
        elif text.startswith("thread '") and (overflow := _OVERFLOW.match(text)) and "::" in overflow["name"]:
            self._running = overflow["name"], RustFailure(line.number)

    def crashed(self) -> tuple[str, RustFailure] | None:
        """The test that is known to have run when the process died: names come before results only where one
        thread runs all tests, and only a test's own thread is named as the test.
        """
        return self._running

    def _read_test(self, line: LogLine) -> None:
        self._running = None
        name, dots, rest = line.text[len("test ") :].partition(" ... ")
        for kind in _KINDS:
            name = name.removesuffix(kind)
        if not dots or not name:
            return
        shown = RustFailure(line.number)
        if rest.endswith(("ok", "FAILED")) or rest.startswith("ignored"):
            self._end_test(name, shown, rest)
        else:
            self._running = name, shown

    def _read_printed(self, text: str, name: str, shown: RustFailure) -> None:
        if text.endswith(("ok", "FAILED")):
            self._running = None
            self._end_test(name, shown, text)
        elif not text.startswith(_CARGO):
            shown.add(text)

    def _end_test(self, name: str, shown: RustFailure, result: str) -> None:
        if not result.endswith("FAILED"):
            if len(self._passed) < MAX_TOLD:
                self._passed.add(name)
        elif len(self.failed) < MAX_TOLD:
            self.failed.setdefault(name, shown)
        else:
            self.cut = True

    def _read_told(self, line: LogLine) -> None:
        text = line.text
        if self._listed is not None and (text.startswith(_INDENT) or not text):
            if text:
                self._list(text.removeprefix(_INDENT), line.number)
            return
        self._listed = None
        section = _SECTION.match(text) if text.startswith("---- ") else None
        if section is not None and section["name"] not in self._passed:
            self._shown = self._section(section["name"], line.number)
        elif self._shown is not None:
            self._shown.add(text)

    def _list(self, name: str, number: int) -> None:
        assert self._listed is not None
        if len(self._listed) < MAX_TOLD:
            self._listed.setdefault(name, number)
        else:
            self.cut = True

    def _section(self, name: str, number: int) -> RustFailure | None:
        known = self.failed.get(name) or self._sections.get(name)
        if known is None and len(self._sections) < MAX_TOLD:
            known = self._sections[name] = RustFailure(number)
        return known

    def _read_result(self, text: str) -> bool:
        """Whether this is the binary's own result."""
        told = _RESULT.match(text)
        if told is None:
            return False
        passed, failed, ignored, measured = (int(number) for number in told.groups())
        listed = self._listed or {}
        is_listed = len(listed) == failed
        if passed + failed + ignored + measured != self._expected and not (failed and is_listed):
            return False
        self.counts = RunCounts(failed=failed, passed=passed, skipped=ignored)
        if is_listed:
            self.failed = {
                name: self._section(name, number) or RustFailure(number) for name, number in listed.items()
            }
        return True
