"""The test that pytest had named last without a result: what ran when a process ended or a limit was hit."""

import re
from typing import Final

_RESULT: Final = re.compile(r"(?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN)\b")
_NODE: Final = re.compile(
    r"(?P<node>\S{1,300}\.py::\S.{0,600}?)(?: (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN)\b.*)?\s*$"
)
_PROGRESS: Final = re.compile(r"(?P<file>\S{1,300}\.py) [.FEsxXR]*(?:\+{8}|\s*(?:\[ *\d{1,3}%\])?$)")
_FRAME: Final = re.compile(
    r'\s{1,20}File "(?P<path>[^"]{1,500})", line \d{1,9},? in (?P<name>test\w{0,200})$'
)
_STACK: Final = re.compile(
    r"~{3,100} Stack of \S{1,100}.{0,100} ~{3,100}$"
    r"|.{0,40}[Tt]hread 0x[0-9a-f]{1,16}.{0,80} \(most recent call first\):"
)


class RunningTest:
    """Takes a log's clean lines in order.

    `node` is the id of the test that runs, None if none is known to. A stack dump names it by the frame of a
    function called `test...`, if the dump's file is the one that pytest was at.
    """

    def __init__(self) -> None:
        self.node: str | None = None
        self.frame_line: int | None = None
        """The number of the source line below that frame."""
        self._file: str | None = None
        self._in_stack = False

    def feed(self, number: int, text: str) -> None:
        if ".py" in text:
            self._feed_python(number, text)
        elif self.node is not None and _RESULT.match(text):
            self.node = None
        if _STACK.match(text):
            self._in_stack = True

    def _feed_python(self, number: int, text: str) -> None:
        if self._in_stack and (frame := _FRAME.match(text)) is not None:
            self._name_by_frame(number, frame["path"], frame["name"])
        elif (progress := _PROGRESS.match(text)) is not None:
            self._file = progress["file"]
        elif "::" in text and (named := _NODE.match(text)) is not None:
            has_result = text.rstrip() != named["node"]
            self.node = None if has_result else named["node"]

    def _name_by_frame(self, number: int, path: str, name: str) -> None:
        file = self._file or (self.node or "").partition("::")[0]
        if file and (path == file or path.endswith(f"/{file}")):
            self.frame_line = number + 1
            self.node = self.node if self.node and f"::{name}" in self.node else f"{file}::{name}"
