"""The lines that pytest prints while tests run, with -v or under xdist: which failed, and by which node id.

They matter where the report at the end falls short: it never came, it was switched off, or its headers name
no file.
"""

import re
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.pytest_node import domain_of

MAX_NODES: Final = 20_000

_PERCENT: Final = r"(?: +\[ {0,2}\d{1,3}%\])?$"
_RESULT: Final = re.compile(r"(?P<node>[^\s:]{1,500}\.py::.{1,2000}) (?P<word>FAILED|ERROR) *" + _PERCENT)
_OF_WORKER: Final = re.compile(
    r"\[gw\d{1,5}\] (?:\[ {0,2}\d{1,3}%\] )?(?P<word>FAILED|ERROR) (?P<node>[^\s:]{1,500}\.py::.{1,2000})$"
)


class PytestProgress:
    """`red` holds each node that failed with whether that was an error, and the number of its first line."""

    def __init__(self) -> None:
        self.cut = False
        self.red: dict[str, tuple[bool, int]] = {}

    def feed(self, line: LogLine) -> None:
        text = line.text
        if "::" not in text or ("FAILED" not in text and "ERROR" not in text):
            return
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
