"""Names of suites without what differs from run to run: times, run numbers, folders, browser versions.

A suite's name is part of a test's identity where no class is named, so it must stay the same.
"""

import re
from functools import lru_cache
from typing import Final

_LONGEST: Final = 1000
_ROUNDS: Final = 8

_CHECKOUT: Final = re.compile(
    r"(?:/home/runner/work|/Users/runner/work|/__w|[A-Za-z]:[\\/]a)[\\/]([^\\/]{1,100})[\\/]\1[\\/]"
    r"|/github/workspace/"
)
"""Where GitHub's runners check a repository out."""

_DAY: Final = r"(?:19|20)[0-9]{2}[-_./]?(?:0[1-9]|1[0-2])[-_./]?(?:0[1-9]|[12][0-9]|3[01])"
_HOUR: Final = r"[0-2][0-9][-_.:h]?[0-5][0-9](?:[-_.:m]?[0-5][0-9])?(?:[.,][0-9]{1,9})?(?: ?[AP]M)?"
_ZONE: Final = r"(?: ?(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?"
_STAMP: Final = rf"(?:{_DAY}(?:[T _-]{{0,2}}{_HOUR}{_ZONE})?|1[5-9][0-9]{{8}}(?:[0-9]{{3}})?)"
"""A day with or without its time, in any spelling that sorts, or seconds or milliseconds since 1970."""
_NUMBERED: Final = r"(?:run|build|attempt|iteration|repetition)[ _#:-]{0,3}[0-9]{1,9}"
_EITHER: Final = rf"(?:{_STAMP}|{_NUMBERED})"

_AT_END: Final = re.compile(
    rf"[ _.:/|-]{{0,4}}[(\[]{_EITHER}[)\]]$|[ _.:/|-]{{1,4}}{_EITHER}$", re.IGNORECASE
)
_AT_START: Final = re.compile(
    rf"[(\[]{_EITHER}[)\]][ _.:/|-]{{0,4}}|{_EITHER}[ _.:/|-]{{1,4}}(?=\D)", re.IGNORECASE
)
_STRESS: Final = re.compile(r"@stress-[0-9]{1,9}$")
"""nextest's mark of a stress run."""
_BROWSER: Final = re.compile(
    r"((?:Headless ?)?(?:Chrome|Firefox|Safari|Edge|Chromium|Electron)(?: Headless)?)"
    r" [0-9.]{1,40} \(([A-Za-z][A-Za-z ]{0,30}?)(?: [0-9._x]{1,40})?\)"
)
"""How Karma names a suite: by its browser, with the versions of browser and system."""


def stable_suite(name: str) -> str:
    """The name as it is in every run. What would be nothing then stays as it is."""
    return name if len(name) > _LONGEST else _stable(name)


@lru_cache(maxsize=4096)  # the suites of one file are asked for again and again
def _stable(name: str) -> str:
    shorter = name
    for _ in range(_ROUNDS):
        before = shorter
        for rule in (_CHECKOUT, _STRESS, _AT_END, _AT_START):
            shorter = rule.sub("", shorter, count=1) or shorter
        shorter = _BROWSER.sub(r"\1 (\2)", shorter, count=1)
        if shorter == before:
            return shorter
    return name  # so many are no name that a tool has made
