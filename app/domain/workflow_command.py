"""Lines on a step's output that GitHub's runner acts on: ours rightly written, everyone else's defused.

Form and escapes: docs.github.com, "Workflow commands for GitHub Actions". The runner takes a line for a
command where it begins with `::`, and in its older form wherever `##[` stands in it (actions/runner).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.domain.bounded_text import bounded
from app.domain.markdown import BREAK, one_line, visible
from app.domain.redaction import redact

MOST_OF_A_LEVEL: Final = 10
"""Annotations of one step and level that GitHub keeps; others are dropped in silence."""
LONGEST_TITLE: Final = 200
_MESSAGE_HEAD: Final = 2500
_MESSAGE_TAIL: Final = 1000

_COMMAND = re.compile(r"^([^\S\n]*:)(?=:)|(##)(?=\[)", re.MULTILINE)


class Level(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Annotation:
    """A remark that GitHub shows at a line. `file` is relative to the repository; without one, at the run."""

    level: Level
    title: str
    message: str
    file: str | None = None
    line: int | None = None


def written(annotation: Annotation) -> str:
    """One line, whatever stands in title, message and file."""
    properties = {
        "file": annotation.file,
        "line": None if annotation.line is None else str(annotation.line),
        "title": one_line(annotation.title, LONGEST_TITLE),
    }
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    message, _ = bounded(redact(visible(annotation.message)), _MESSAGE_HEAD, _MESSAGE_TAIL)
    return f"::{annotation.level.value} {told}::{_value(message)}"


def shown(annotations: Iterable[Annotation]) -> Iterator[Annotation]:
    """The first of each level, as many as GitHub keeps."""
    counts: Counter[Level] = Counter()
    for one in annotations:
        counts[one.level] += 1
        if counts[one.level] <= MOST_OF_A_LEVEL:
            yield one


def defused(text: str) -> str:
    """Text of any number of lines, none of which the runner takes for a command; others stay as they are."""
    return _COMMAND.sub(lambda found: f"{found[0]}{BREAK}", text)


def _value(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A").replace("##[", f"##{BREAK}[")


def _property(text: str) -> str:
    return _value(text).replace(":", "%3A").replace(",", "%2C")
