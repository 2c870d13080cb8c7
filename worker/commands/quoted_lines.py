"""Lines of a log around one of them, clean and short, for people to see."""

from dataclasses import dataclass
from typing import BinaryIO, Final

from app.domain.joblog.log_lines import LogText

LONGEST: Final = 160
_NEVER_CUT: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Around:
    number: int
    text: str
    is_it: bool


def lines_around(stream: BinaryIO, number: int, count: int) -> tuple[Around, ...]:
    """The line `number` and up to `count` before and after it, read from the stream's start."""
    found = []
    for line in LogText(stream, _NEVER_CUT):
        if line.number > number + count:
            break
        if line.number >= number - count:
            text = line.text if len(line.text) <= LONGEST else f"{line.text[:LONGEST]} ..."
            found.append(Around(line.number, text, line.number == number))
    return tuple(found)
