"""How far an ingest is, on stderr: one moving line on a terminal, now and then a line elsewhere."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status

from app.domain.wording import counted
from worker import says
from worker.ingest.load import Loaded

EVERY_S = 10.0
"""Between two lines where nobody watches."""


class Progress:
    """Counts what was brought in and what was not. A context: the terminal is left as it was."""

    def __init__(self) -> None:
        self.units = 0
        self.known = 0
        self.past = 0
        self.problems = 0
        self._results = 0
        self._told_at = time.monotonic()
        self._status: Status | None = None
        if sys.stderr.isatty():
            self._status = Console(stderr=True).status("reading")

    def __enter__(self) -> Self:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def advance(self, loaded: Loaded) -> None:
        self.units += 1
        if loaded.status == "known":
            self.known += 1
            return
        if loaded.status == "past":
            self.past += 1
            return
        self._results += loaded.results
        words = f"{counted(self._new, 'attempt')}, {self._results:,} results"
        if self._status is not None:
            self._status.update(words)
        elif time.monotonic() - self._told_at >= EVERY_S:
            self._told_at = time.monotonic()
            says.progress(f"{words} so far")

    def complain(self, problem: str) -> None:
        self.problems += 1
        says.progress(f"flake-triage: {problem}")

    @property
    def _new(self) -> int:
        return self.units - self.known - self.past

    def summarise(self, *, commits: int) -> None:
        new = counted(self._new, "attempt")
        told = [f"Brought in {new}, {self._results:,} results, {counted(commits, 'commit')}"]
        if self.known:
            verb = "was" if self.known == 1 else "were"
            told.append(f"{counted(self.known, 'attempt')} {verb} already known (--replace takes them anew)")
        if self.past:
            words = "was past its time" if self.past == 1 else "were past their time"
            told.append(f"{counted(self.past, 'attempt')} {words} and passed over")
        says.progress(f"{'; '.join([*told, counted(self.problems, 'problem')])}.")
