"""pytest's terminal report in a job log: failures with their texts, and the counts of the last line."""

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.domain.joblog.pytest_sections import Entry, SectionReader
from app.domain.joblog.run_reader import RunCounts
from app.domain.outcome import Errored, Failed, Outcome, Result
from app.domain.pytest_node import domain_of, guess_node, split_description, split_summary, to_test_id
from app.domain.results.repeated_ids import ResultLedger

MAX_SUMMARY_LINES: Final = 20_000

_SESSION_START: Final = re.compile(r"={3,200} test session starts ={3,200}$")
_COUNTS: Final = re.compile(
    r"(?:={1,200} )?((?:\d{1,9} [a-z][a-z ]{0,30}, ){0,15}\d{1,9} [a-z][a-z ]{0,30})"
    r" in \d{1,9}(?:\.\d{1,9})?s"
)
_COUNT: Final = re.compile(r"(\d{1,9}) ([a-z]{1,30})")
_SUMMARY_LINE: Final = re.compile(r"(FAILED|ERROR|SUBFAILED|SUBFAIL)(?=[ \[(])")


@dataclass(frozen=True, slots=True)
class _SummaryLine:
    is_error: bool
    node: str
    message: str
    key: str


class PytestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self.counts: RunCounts | None = None
        self.in_session = False
        self._sections = SectionReader()
        self._summary: list[_SummaryLine] = []
        self._ledger = ResultLedger()

    @property
    def cut(self) -> bool:
        """Whether failures were left out because there were too many."""
        return self._sections.cut or len(self._summary) >= MAX_SUMMARY_LINES

    def feed(self, line: str) -> None:
        if _SESSION_START.match(line):
            self._end_session()
            self.in_session = True
        elif (counts := read_counts(line)) is not None:
            self.counts = counts if self.counts is None else self.counts + counts
            self._end_session()
        elif self._sections.in_summary and (summary := _read_summary_line(line)):
            if len(self._summary) < MAX_SUMMARY_LINES:
                self._summary.append(summary)
        else:
            self._sections.feed(line)

    def failures(self) -> tuple[Result, ...]:
        """One result a test that failed, in the order of the log's summaries."""
        self._end_session()
        return self._ledger.results

    def _end_session(self) -> None:
        self.in_session = False
        for failure in _pair(self._sections.take(), self._summary):
            self._ledger.add(failure, pytest=True)
        self._summary = []


def read_counts(line: str) -> RunCounts | None:
    """Read `= 1 failed, 821 passed in 3.20s =`; None for any other line."""
    found = _COUNTS.match(line)
    if found is None:
        return None
    counts = {word: int(number) for number, word in _COUNT.findall(found.group(1))}
    counts["errors"] = counts.get("errors", counts.get("error", 0))
    known = {word: counts[word] for word in RunCounts.__slots__ if counts.get(word)}
    return RunCounts(**known) if known else None


def _read_summary_line(line: str) -> _SummaryLine | None:
    mark = _SUMMARY_LINE.match(line)
    if mark is None:
        return None
    description, rest = split_description(line[mark.end() :].lstrip())
    node, message = split_summary(rest)
    key = domain_of(node) or node
    if mark.group(1).startswith("SUB") and description:
        key = f"{key} {description}"
    return _SummaryLine(mark.group(1) == "ERROR", node, message, key)


def _pair(entries: list[Entry], summary: list[_SummaryLine]) -> Iterator[Result]:
    """Join what the summary names with what the sections show: a header names no file, a summary no text."""
    by_key: defaultdict[tuple[bool, str], deque[Entry]] = defaultdict(deque)
    for entry in entries:
        by_key[entry.phase != "call", entry.key].append(entry)
    for line in summary:
        waiting = by_key[line.is_error, line.key]
        yield _to_result(line.node, waiting.popleft() if waiting else None, line)
    for waiting in by_key.values():
        for entry in waiting:
            yield _to_result(entry.node or guess_node(entry.path, entry.key), entry, None)


def _to_result(node: str, entry: Entry | None, line: _SummaryLine | None) -> Result:
    message = (entry.message if entry else "") or (line.message if line else "")
    text, cut = (entry.text, entry.cut) if entry else ("", False)
    phase = entry.reported_phase if entry else "call"
    if phase == "collect":
        message = "collection failure"
    elif phase != "call":
        message = f'failed on {phase} with "{message}"'  # the words of pytest's JUnit file
    is_error = phase != "call" or (line is not None and line.is_error)
    outcome: Outcome = Errored(message, text, cut) if is_error else Failed(message, text, cut)
    path = node.partition("::")[0]
    return Result(to_test_id(node), outcome, path=path if path.endswith(".py") else None)
