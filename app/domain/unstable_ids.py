"""Why a test's id may be another one in the next run, so that its history cannot be followed."""

import re
from collections.abc import Iterable
from typing import Final

from app.domain.outcome import TestId

_RULES: Final = (
    (
        "a memory address",
        ("0x", "0X"),
        re.compile(r" at 0x[0-9a-f]{4,16}\b|0x(?:0000)?[0-9a-f]{11,12}\b", re.IGNORECASE),
    ),
    ("an object's hash", ("@",), re.compile(r"@(?=[a-f]{0,7}[0-9])[0-9a-f]{6,8}(?![\w.])")),
    (
        "a UUID",
        ("-",),
        re.compile(
            r"-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-f])", re.IGNORECASE
        ),
    ),
    (
        "a date or a time",
        ("20",),
        re.compile(
            r"20(?<![0-9]20)[0-9]{2}(?:[-/](?:0[1-9]|1[0-2])[-/](?:0[1-9]|[12][0-9]|3[01])"
            r"|(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[T_-]?[0-2][0-9][0-5][0-9][0-5][0-9])(?![0-9])"
        ),
    ),
    (
        "a date or a time",  # seconds or milliseconds since 1970
        ("17", "16"),
        re.compile(r"1[67](?<![0-9]1[67])[0-9]{8}(?:[0-9]{3})?(?![0-9])"),
    ),
    (
        "a temporary path",
        ("/tmp/", "/var/folders/", "\\Temp\\", "pytest-of-"),  # noqa: S108 - looked for, not written to
        re.compile(r"/(?:tmp|var/folders)/|\\Temp\\|pytest-of-"),
    ),
    (
        "a port or a process id",
        ("pid", "port", "localhost:", "127.0.0.1:"),
        re.compile(
            r"(?<![a-z])(?:pid|port)[=: _-]{1,2}[0-9]{4,7}(?![0-9])"
            r"|(?:localhost|127\.0\.0\.1):[1-6][0-9]{4}(?![0-9])"
        ),
    ),
    ("no more than the number of a row", ("[",), re.compile(r"\[(?:(?<=::\[)|(?<=^\[))[0-9]{1,9}\](?: |$)")),
)
"""What it holds, a text without which it cannot, and its shape. A day or a UUID may also be a constant.

A shape begins with plain characters and looks back behind them: so it is found at ten times the speed.
"""

_NAMED: Final = 3
_LABEL: Final = 120
_LOOKED_AT: Final = 4000


def why_unstable(label: str) -> str | None:
    """What in a test's label may differ from run to run; None if nothing does."""
    looked_at = label[:_LOOKED_AT]
    for what, signs, shape in _RULES:
        if any(sign in looked_at for sign in signs) and shape.search(looked_at):
            return what
    return None


def unstable_told(tests: Iterable[TestId]) -> str | None:
    """One line that counts the unstable ids and names the first; None where all are stable."""
    labels = [test.label for test in tests]
    if not _may_be_unstable("\n".join(labels)):
        return None
    found = [(label, why) for label in labels if (why := why_unstable(label)) is not None]
    if not found:
        return None
    named = "; ".join(f"{label[:_LABEL]} holds {why}" for label, why in found[:_NAMED])
    told = f"{len(found)} tests may bear another name in the next run, so their history cannot be followed"
    return f"{told}: {named}"


def _may_be_unstable(labels: str) -> bool:
    """Whether any line has one of the shapes: a look at all of them together costs a tenth."""
    return any(
        any(sign in labels for sign in signs) and re.search(shape.pattern, labels, shape.flags | re.MULTILINE)
        for _, signs, shape in _RULES
    )
