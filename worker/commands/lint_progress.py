"""How far a lint is: files of all that were found."""

from worker.progress_line import ProgressLine


class LintProgress(ProgressLine):
    def __init__(self, total: int) -> None:
        super().__init__("linting")
        self._total = total
        self._done = 0

    def step(self) -> None:
        self._done += 1
        self.tell(lambda: f"linted {self._done:,} of {self._total:,} files")
