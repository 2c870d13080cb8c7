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
_FIRST: Final = frozenset(
    {"##", "Fa", "te", "li", "Ab", "Bu", "Il", "Fl", "**", "==", "Ad", "Me", "Th", "HW", "Un"}
)
"""Two characters rule out most of what a test prints."""
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
    if line[:2] in _FIRST:
        if line.startswith(STEP_ENDED):
            return _CRASH_CODES.match(line, len(STEP_ENDED)) is not None
        if line.startswith(_STARTS) or _SANITIZER.match(line):
            return True
    return "Segmentation fault" in line or "(core dumped)" in line
