"""What the Go compiler and vet print below `# package`, kept for the line that says that it was not built."""

import re
from typing import Final

from app.domain.bounded_text import BoundedText
from app.domain.joblog.run_reader import ToldFailure
from app.domain.outcome import Errored, Result, TestId

MAX_PACKAGES: Final = 1000
_HEAD: Final = 4 * 1024
_TAIL: Final = 12 * 1024

_TITLE: Final = re.compile(r"# (?P<package>[\w./~+-]{1,1000})(?: \[[^\]]{1,1000}\])?$")
_LINE: Final = re.compile(r"(?:vet: )?\S{1,500}\.go:\d|[\t ]|too many errors")


class GoBuilds:
    """Takes lines in order."""

    def __init__(self) -> None:
        self._texts: dict[str, BoundedText] = {}
        self._open: BoundedText | None = None

    @property
    def is_open(self) -> bool:
        return self._open is not None

    def feed(self, line: str) -> bool:
        """Whether the line belongs to a build."""
        if title := _TITLE.match(line):
            self._open = self._of(title["package"])
            return True
        if self._open is not None and _LINE.match(line):
            self._open.add(line + "\n")
            return True
        self._open = None
        return False

    def add(self, package: str, output: str) -> None:
        if not output.startswith("# "):
            self._of(package).add(output)

    def _of(self, package: str) -> BoundedText:
        if len(self._texts) >= MAX_PACKAGES:
            self._texts.clear()  # a program prints such titles without end
        return self._texts.setdefault(package, BoundedText(_HEAD, _TAIL))

    def failure(self, package: str, cause: str, number: int) -> ToldFailure:
        """`cause`: `[build failed]` or the like, which go-junit-report makes the name."""
        text = self._texts.pop(package, None) or BoundedText()
        outcome = Errored("Build error", str(text).strip("\n"), text.cut)
        self._open = None
        return ToldFailure(Result(TestId("", "", package, cause), outcome), f"{package} {cause}", number)
