"""How far a lint is, on stderr: one moving line on a terminal, now and then a line elsewhere."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status

from worker import says

EVERY_S = 10.0
"""Between two lines where nobody watches; most runs are over before the first."""


class LintProgress:
    """Counts files of `total`. A context: the terminal is left as it was."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._told_at = time.monotonic()
        self._status: Status | None = None
        if sys.stderr.isatty():
            self._status = Console(stderr=True).status("linting")

    def __enter__(self) -> Self:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def step(self) -> None:
        self._done += 1
        words = f"linted {self._done:,} of {self._total:,} files"
        if self._status is not None:
            self._status.update(words)
        elif time.monotonic() - self._told_at >= EVERY_S:
            self._told_at = time.monotonic()
            says.progress(f"{words} ...")
