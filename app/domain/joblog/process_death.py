"""The lines by which a shell, an interpreter, a sanitizer or the runner tell that a process crashed.

A test that had no result by then is the one that crashed. That a process was ended from outside (137, 143,
124 of `timeout`) says nothing against the test that it happened to run.
"""

import re
from typing import Final

STEP_ENDED: Final = "##[error]Process completed with exit code "
NEXT_STEP: Final = (STEP_ENDED, "##[group]Run ")
"""How the runner's lines begin where no line of the step before can follow."""

_STARTS: Final = (
    STEP_ENDED,
    "Fatal Python error: ",
    "terminate called ",
    "libc++abi: terminating",
    "Aborted",
    "Bus error",
    "Illegal instruction",
    "Floating point exception",
    "*** stack smashing detected",
    "*** Check failure stack trace",
)
_CRASH_CODES: Final = re.compile(r"(?:13[2-6]|139|-1073741819|-1073740791|-1073741571)\.")
"""SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV; on Windows access violation, abort, stack overflow."""
_SANITIZER: Final = re.compile(
    r"==\d{1,9}==\s?ERROR: (?:Address|Memory|Thread|HWAddress|UndefinedBehavior)Sanitizer"
    r"|(?:Address|Memory|Thread|HWAddress|UndefinedBehavior)Sanitizer:DEADLYSIGNAL"
)


_ENDED: Final = re.compile(r"(?!(?:0|124|130|137|143)\.)-?\d{1,10}\.")


def ended_by_itself(line: str) -> bool:
    """Whether the step ended with an exit code that neither success nor a kill from outside has."""
    return line.startswith(STEP_ENDED) and _ENDED.match(line, len(STEP_ENDED)) is not None


def tells_death(line: str) -> bool:
    if line.startswith(_STARTS):
        return not line.startswith(STEP_ENDED) or _CRASH_CODES.match(line, len(STEP_ENDED)) is not None
    if "Sanitizer" in line:
        return _SANITIZER.match(line) is not None
    return "Segmentation fault" in line or "(core dumped)" in line
