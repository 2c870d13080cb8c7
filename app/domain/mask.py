"""One mask: a pattern of volatile tokens, what stands for them, and why."""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mask:
    """`replacement` may use groups of `pattern`; `example` and `masked` are checked by a test."""

    name: str
    pattern: re.Pattern[str]
    replacement: str | Callable[[re.Match[str]], str]
    why: str
    example: str
    masked: str


def row(
    name: str,
    pattern: str,
    replacement: str | Callable[[re.Match[str]], str],
    why: str,
    example: str,
    masked: str,
    *,
    flags: re.RegexFlag = re.NOFLAG,
) -> Mask:
    return Mask(name, re.compile(pattern, flags), replacement, why, example, masked)
