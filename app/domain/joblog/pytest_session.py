"""One session of pytest in a log: what its sections, its summary and its progress tell, put together."""

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.pytest_progress import PytestProgress
from app.domain.joblog.pytest_sections import Entry, SectionReader
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.outcome import Errored, Failed, Outcome, Result
from app.domain.pytest_node import domain_of, guess_node, split_description, split_summary, to_test_id

MAX_SUMMARY_LINES: Final = 20_000

_SUMMARY_LINE: Final = re.compile(r"(FAILED|ERROR|SUBFAILED|SUBFAIL)(?=[ \[(])")


@dataclass(frozen=True, slots=True)
class _SummaryLine:
    is_error: bool
    node: str
    message: str
    key: str
    number: int


class PytestSession:
    """Takes the lines after a session's first. `printed` and `printed_counts` are those of sessions that
    began while this one ran: whose they are is known when it ends.
    """

    def __init__(self) -> None:
        self.printed: list[ToldFailure] = []
        self.printed_counts: list[RunCounts] = []
        self._sections = SectionReader()
        self._progress = PytestProgress()
        self._summary: list[_SummaryLine] = []

    @property
    def cut(self) -> bool:
        """Whether failures were left out because there were too many."""
        return self._sections.cut or self._progress.cut or len(self._summary) >= MAX_SUMMARY_LINES

    def feed(self, line: LogLine) -> None:
        if self._sections.in_summary and (summary := _read_summary_line(line)):
            if len(self._summary) < MAX_SUMMARY_LINES:
                self._summary.append(summary)
            return
        self._sections.feed(line)
        if self._sections.is_before_first:
            self._progress.feed(line)

    def feed_printed(self, line: LogLine) -> None:
        """A line of a session that began inside this one: text of the failure that shows it, if any."""
        self._sections.feed_printed(line.text)

    def failures(self) -> Iterator[ToldFailure]:
        named = set()
        for told in self._pair():
            named.add(told.result.test)
            yield told
        for node, (is_error, number) in self._progress.red.items():
            test = to_test_id(node)
            if test not in named:
                outcome = Errored("", "") if is_error else Failed("", "")
                yield ToldFailure(Result(test, outcome, path=_path_of(node)), node, number)

    def crashed(self) -> Iterator[ToldFailure]:
        """The test that ran when the session's process died; for a session that never came to its end."""
        died = self._progress.died
        if died is not None:
            outcome = Errored(died.words, "")
            result = Result(to_test_id(died.node), outcome, path=_path_of(died.node))
            yield ToldFailure(result, died.node, died.number)

    def _pair(self) -> Iterator[ToldFailure]:
        """Join the summary with the sections: a header names no file, a summary shows no text."""
        by_key: defaultdict[tuple[bool, str], deque[Entry]] = defaultdict(deque)
        for entry in self._sections.entries:
            by_key[entry.phase != "call", entry.key].append(entry)
        for line in self._summary:
            waiting = by_key[line.is_error, line.key]
            yield _told(line.node, waiting.popleft() if waiting else None, line)
        nodes = self._progress.nodes_by_domain()
        for (_, key), waiting in by_key.items():
            shown = nodes.get(key, [])
            if len(shown) != len(waiting):  # which of them is meant is not known
                shown = [guess_node(entry.path, entry.key) for entry in waiting]
            for entry, node in zip(waiting, shown, strict=True):
                yield _told(entry.node or node, entry, None)


def _read_summary_line(line: LogLine) -> _SummaryLine | None:
    mark = _SUMMARY_LINE.match(line.text)
    if mark is None:
        return None
    description, rest = split_description(line.text[mark.end() :].lstrip())
    node, message = split_summary(rest)
    key = domain_of(node) or node
    if mark.group(1).startswith("SUB") and description:
        key = f"{key} {description}"
    return _SummaryLine(mark.group(1) == "ERROR", node, message, key, line.number)


def _told(node: str, entry: Entry | None, line: _SummaryLine | None) -> ToldFailure:
    """The summary's line is the first with the whole id, and its order is that of pytest's own report."""
    first = line or entry
    assert first is not None
    return ToldFailure(_to_result(node, entry, line), node, first.number)


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
    return Result(to_test_id(node), outcome, path=_path_of(node))


def _path_of(node: str) -> str | None:
    path = node.partition("::")[0]
    return path if path.endswith(".py") else None
