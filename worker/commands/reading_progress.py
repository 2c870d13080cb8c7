"""How far a reading of files is, on stderr: one moving line on a terminal, now and then one elsewhere."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status

from app.domain.wording import counted
from worker import says

EVERY_S = 10.0
"""Between two lines where nobody watches; most readings are over before the first."""
_MOVES_S = 0.1


class ReadingProgress:
    """Counts files and bytes. A context: the terminal is left as it was."""

    def __init__(self) -> None:
        self._files = 0
        self._bytes = 0
        self._next_s = time.monotonic() + EVERY_S
        self._status: Status | None = None
        if sys.stderr.isatty():
            self._status = Console(stderr=True).status("reading")
            self._next_s = 0.0

    def __enter__(self) -> Self:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def file_done(self) -> None:
        self._files += 1

    def watch(self, count: int) -> None:
        """Hear that `count` bytes more have been read."""
        self._bytes += count
        now_s = time.monotonic()
        if now_s < self._next_s:
            return
        words = f"read {counted(self._files, 'file')}, {self._bytes / 1e6:,.0f} MB"
        if self._status is not None:
            self._next_s = now_s + _MOVES_S
            self._status.update(words)
        else:
            self._next_s = now_s + EVERY_S
            says.progress(f"{words} ...")
