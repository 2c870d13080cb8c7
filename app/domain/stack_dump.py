"""Read the stacks of processes that could not raise: faulthandler's dumps and pytest-timeout's."""

import re
from collections.abc import Sequence

from app.domain.raised import Frame, Raised, collapse

FATAL = "Fatal Python error:"
_THREAD = re.compile(r"(?:Current thread|Thread) 0x[0-9a-f]{1,16}\b.{0,200}\(most recent call first\):$")
_FRAME = re.compile(r'\s{0,200}File "(?P<path>[^"]{1,1000})", line \d{1,9},? in (?P<function>.{1,300})$')
_STACK = re.compile(r"~{3,} Stack of (?P<thread>.{1,200}) ~{3,}$")


def read_fatal(lines: Sequence[str], start: int) -> tuple[Raised, int]:
    """Read `Fatal Python error: ...` and the frames of the thread it happened in, turned outermost first."""
    frames: list[Frame] = []
    at, current = start + 1, False
    while at < len(lines):
        line = lines[at]
        if _THREAD.match(line):
            current = line.startswith("Current")
        elif (match := _FRAME.match(line)) is None and line.strip():
            break
        elif match is not None and current:
            frames.append(Frame(match["path"], match["function"]))
        at += 1
    reason = lines[start].removeprefix(FATAL).strip()
    return Raised(FATAL.rstrip(":"), (reason,), tuple(reversed(frames))), at


def is_stack_of_main(line: str) -> bool:
    match = _STACK.match(line)
    return match is not None and match["thread"].startswith("MainThread")


def read_timeout_stack(lines: Sequence[str], start: int) -> tuple[Raised, int]:
    """Read the main thread's stack from a pytest-timeout dump: it says where the test hung."""
    frames: list[Frame] = []
    at = start + 1
    while at < len(lines) and (match := _FRAME.match(lines[at])) is not None:
        source = ""
        if at + 1 < len(lines) and lines[at + 1].startswith("    "):
            at += 1
            source = collapse(lines[at])
        frames.append(Frame(match["path"], match["function"], source))
        at += 1
    return Raised("Timeout", ("pytest-timeout",), tuple(frames)), at
