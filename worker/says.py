"""How commands speak: one JSON object a line, or text for people without anything that moves a terminal.

Nor anything that commands a CI runner, which reads both streams: see `app/domain/workflow_command.py`.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from app.domain.workflow_command import defused
from app.logs import redact

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object a line, nothing else.")]
RepoOption = Annotated[str | None, typer.Option("--repo", help="Only of this repository, owner/name.")]

CHECKED_BAD = 1
WRONG_USE = 2
NOTHING_DONE = 3


def line(record: Mapping[str, Any]) -> None:
    """Print one object on one line of stdout. ASCII only: no name can break the line or the terminal."""
    print(_written(record), flush=True)  # noqa: T201 - stdout is the product


def long_line(record: Mapping[str, Any], name: str, members: Iterable[Mapping[str, Any]]) -> None:
    """The same, with a last field of so many members that they are written one by one."""
    start = _written({**record, name: []}).removesuffix("]}")
    print(start, end="")  # noqa: T201 - stdout is the product
    for number, member in enumerate(members):
        print("," if number else "", _written(member), sep="", end="")  # noqa: T201 - stdout is the product
    print("]}", flush=True)  # noqa: T201 - stdout is the product


def _written(record: Mapping[str, Any]) -> str:
    told = json.dumps(record, separators=(",", ":"), default=str)
    return told.replace("##[", "##\\u005b")


def text(words: str) -> None:
    """Print a line for people on stdout, with control characters spelled out."""
    print(defused(redact(words)), flush=True)  # noqa: T201 - stdout is the product


def command(words: str, *, aside: bool = False) -> None:
    """Print a line that a CI runner is to act on; `aside` on stderr, where stdout holds JSON alone."""
    print(words, file=sys.stderr if aside else sys.stdout, flush=True)


def progress(words: str) -> None:
    """Tell on stderr what is going on, or what went wrong."""
    print(defused(redact(words)), file=sys.stderr, flush=True)  # noqa: T201 - the command line's own voice
