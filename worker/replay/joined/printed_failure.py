"""Where a failure happened, as pytest prints it in each of its styles: long, short, and Python's own.

An entry of the long style shows the function from its `def` on and ends with `file:line: Type`; one of the
short style begins with `file:line: in function`.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from worker.replay.facts import Frame
from worker.replay.reading.project_files import is_of_project, relative

MOST_FRAMES: Final = 60
_SCANNED_LINES: Final = 20_000
_LONGEST: Final = 1_000
_CHAINED: Final = (
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
)
_UNKNOWN: Final = "<unknown>"
_DEF: Final = re.compile(r"(?:    |>   )?(?:async )?def (\w{1,200})\(")
_SHORT: Final = re.compile(r"([^:\s>][^:]{0,900}):(\d{1,9}): in (.{1,300})")
_LONG: Final = re.compile(r"([^:\s>][^:]{0,900}):(\d{1,9}):(?: [\w.]{0,300})?")
_NATIVE: Final = re.compile(r'  File "([^"]{1,900})", line (\d{1,9}), in (.{1,300})')
_OF_THE_ERROR: Final = "E   "
_ERROR: Final = re.compile(r"E {3,80}(\S.{0,999})")


@dataclass(frozen=True, slots=True)
class Printed:
    """`frames` are the last exception's, outer to inner; `behind` are first lines of those before it."""

    frames: tuple[Frame, ...]
    behind: tuple[str, ...]


def read_failure(text: str, project: str) -> Printed:
    """Total on any text; `project` is where pytest was started, which relative names are relative to."""
    *before, last = _chain(text.splitlines()[-_SCANNED_LINES:])
    frames = tuple(_frames(last, project))[-MOST_FRAMES:]
    return Printed(frames, tuple(said for part in before[-8:] if (said := _said(part))))


def _chain(lines: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.strip() in _CHAINED:
            parts.append([])
        else:
            parts[-1].append(line[:_LONGEST])
    return parts


def _frames(lines: Sequence[str], project: str) -> Iterator[Frame]:
    function: str | None = None
    for line in lines:
        if line.startswith(_OF_THE_ERROR):
            continue
        if found := _DEF.match(line):
            function = function or found[1]
        elif found := _SHORT.fullmatch(line) or _NATIVE.fullmatch(line):
            yield _frame(found[1], found[2], found[3], project)
            function = None
        elif found := _LONG.fullmatch(line.rstrip()):
            yield _frame(found[1], found[2], function or _UNKNOWN, project)
            function = None


def _frame(file: str, line: str, function: str, project: str) -> Frame:
    whole = posixpath.normpath(posixpath.join(project, file)) if file[0] != "<" else file
    inside = relative(whole, project) if project else file if is_of_project(file) else None
    return Frame(inside or whole, int(line), function, in_project=inside is not None)


def _said(lines: Sequence[str]) -> str:
    """The first line of the last error that is marked as such; of Python's own style the last line."""
    said, was_error = "", False
    for line in lines:
        found = _ERROR.match(line)
        if found and not was_error:
            said = found[1]
        was_error = found is not None
    plain = [line for line in lines if line and not line[0].isspace()]
    return said or (plain[-1] if plain else "")
