"""What a rule means, for whoever meets it first in a terminal or beside a pull request."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Meaning:
    """`short` is one line; `why` at most 1024 characters; `bad` and `mended` are code without imports."""

    short: str
    why: str
    mend: str
    bad: str
    mended: str
