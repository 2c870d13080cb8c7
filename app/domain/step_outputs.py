"""Outputs of a step as GitHub's file for them takes them, whatever lines a value holds.

Form: docs.github.com, "Workflow commands for GitHub Actions", multiline strings: a name, a delimiter, the
value, the delimiter alone on a line.
"""

import re
from collections.abc import Mapping

from app.domain.bounded_text import bounded

LONGEST = 64 * 1024
"""Characters of one value; GitHub takes 1 MB of all outputs of a job."""
_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")


def as_file(outputs: Mapping[str, str], delimiter: str) -> str:
    """`delimiter` is one that no writer of a value could know beforehand; ValueError where one holds it."""
    return "".join(_entry(name, value, delimiter) for name, value in outputs.items())


def _entry(name: str, value: str, delimiter: str) -> str:
    if not _NAME.fullmatch(name) or delimiter in value:
        raise ValueError(f"an output {name!r} cannot be written so")
    kept, _ = bounded(value.replace("\0", ""), LONGEST // 2, LONGEST // 2)
    return f"{name}<<{delimiter}\n{kept}\n{delimiter}\n"
