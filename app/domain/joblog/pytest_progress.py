"""The lines that pytest prints while tests run, with -v or under xdist: which failed, and by which node id.

They matter where the report at the end falls short: it never came, it was switched off, or its headers name
no file. A test whose line goes on with the last words of its process is the one that ran when that died.
"""

import re
from typing import Final, NamedTuple

from app.domain.joblog.log_lines import LogLine
from app.domain.pytest_node import domain_of

MAX_NODES: Final = 20_000

_PERCENT: Final = r"(?: +\[ {0,2}\d{1,3}%\])?$"
_RESULT: Final = re.compile(r"(?P<node>[^\s:]{1,500}\.py::.{1,2000}) (?P<word>FAILED|ERROR) *" + _PERCENT)
_OF_WORKER: Final = re.compile(
    r"\[gw\d{1,5}\] (?:\[ {0,2}\d{1,3}%\] )?(?P<word>FAILED|ERROR) (?P<node>[^\s:]{1,500}\.py::.{1,2000})$"
)


_DIED: Final = re.compile(
    r"(?P<node>[^\s:]{1,500}\.py::.{1,2000}?) "
    r"(?P<words>Fatal Python error: .{1,300}|\+{3,200} Timeout \+{3,200})$"
)
_GOES_ON: Final = (" PASSED", " FAILED", " SKIPPED", " ERROR")


class Died(NamedTuple):
    node: str
    words: str
    number: int


class PytestProgress:
    """`red` holds each node that failed with whether that was an error, and the number of its first line.
    `died` is the test that ran when the process died, if pytest did not go on after it.
    """

    def __init__(self) -> None:
        self.cut = False
        self.red: dict[str, tuple[bool, int]] = {}
        self.died: Died | None = None

    def feed(self, line: LogLine) -> None:
        text = line.text
        if "::" not in text:
            return
        if self.died is not None and any(word in text for word in _GOES_ON):
            self.died = None
        if "FAILED" in text or "ERROR" in text:
            self._read_result(line)
        elif (" Fatal " in text or "+ Timeout +" in text) and (died := _DIED.match(text)):
            self.died = Died(died["node"], died["words"].strip("+ "), line.number)

    def _read_result(self, line: LogLine) -> None:
        text = line.text
        found = _OF_WORKER.match(text) if text.startswith("[gw") else _RESULT.match(text)
        if found is None:
            return
        node = found["node"].rstrip()
        if node in self.red or len(self.red) < MAX_NODES:
            was_error, number = self.red.get(node, (False, line.number))
            self.red[node] = (was_error or found["word"] == "ERROR", number)
        else:
            self.cut = True

    def nodes_by_domain(self) -> dict[str, list[str]]:
        """The nodes that failed by the name that a section's header has for them."""
        nodes: dict[str, list[str]] = {}
        for node in self.red:
            nodes.setdefault(domain_of(node), []).append(node)
        return nodes
