"""The columns that `gh run view --log` writes before each line: job, step, and the line with its stamp."""

import re
from typing import Final

MAX_STARTS: Final = 10_000
UNKNOWN_STEP: Final = "UNKNOWN STEP"
"""What gh writes where it found no file of the step."""

_COLUMNS: Final = re.compile(
    r"\ufeff?(?P<job>[^\t\r\n]{1,300})\t(?P<step>[^\t\r\n]{1,300})\t(?=\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z)"
)


def has_columns(line: str) -> bool:
    return _COLUMNS.match(line) is not None


class SavedColumns:
    """Takes the columns away. A file may hold several jobs: then a step's name has its job's before it."""

    def __init__(self) -> None:
        self._starts: list[tuple[int, str, str]] = []

    def strip(self, number: int, line: str) -> str:
        found = _COLUMNS.match(line)
        if found is None:
            return line
        job, step = found["job"], found["step"]
        is_new = not self._starts or self._starts[-1][1:] != (job, step)
        if is_new and len(self._starts) < MAX_STARTS:
            self._starts.append((number, job, step))
        return line[found.end() :]

    def starts(self) -> list[tuple[int, str]]:
        """The first line and the name of each step; none where no name is known."""
        if all(step == UNKNOWN_STEP for _, _, step in self._starts):
            return []
        is_one_job = len({job for _, job, _ in self._starts}) == 1
        return [(number, step if is_one_job else f"{job} / {step}") for number, job, step in self._starts]
