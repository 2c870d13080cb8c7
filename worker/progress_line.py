"""How far a long work is, on stderr: one moving line on a terminal, now and then a line elsewhere."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from rich.console import Console

from worker import says

EVERY_S = 10.0
"""Between two lines where nobody watches; most works are over before the first."""
_MOVES_S: Final = 0.1


class ProgressLine:
    """A context: the terminal is left as it was."""

    def __init__(self, begins: str) -> None:
        self._status = Console(stderr=True).status(begins) if sys.stderr.isatty() else None
        self._every_s = EVERY_S if self._status is None else _MOVES_S
        self._next_s = time.monotonic() + (EVERY_S if self._status is None else 0.0)

    def __enter__(self) -> Self:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def tell(self, words: Callable[[], str]) -> None:
        """May be called for every small step: the words are made only where they are shown."""
        now_s = time.monotonic()
        if now_s < self._next_s:
            return
        self._next_s = now_s + self._every_s
        if self._status is not None:
            self._status.update(words())
        else:
            says.progress(f"{words()} ...")
