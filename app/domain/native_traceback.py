"""Read the tracebacks that the interpreter itself prints, exception groups included."""

import re
from collections.abc import Sequence

from app.domain.raised import Frame, Raised, collapse

HEADER = "Traceback (most recent call last):"
CHAIN_LINES = (
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
)
EXCEPTION = re.compile(r"\s{0,200}(?P<type>[A-Za-z_][\w.<>]{0,200})(?:: ?(?P<message>.*))?$")
_FRAME = re.compile(r'\s{0,200}File "(?P<path>[^"]{1,1000})", line \d{1,9}(?:, in (?P<function>.{1,300}))?$')
_MARKER = re.compile(r"[\s~^]+$")
_MEMBER = re.compile(r"[\s|]{0,200}\+(?:-\+)?-{3,} (?:\d{1,6}|\.{3}) -{3,}$")
_GUTTER = re.compile(r"\s{0,200}(?:[|+] ?)")
_MESSAGE_LINES = 50
_CARRIED = ('"""', "'''", "-- Process ")
"""What stands between a carrier and the traceback it carries: RemoteTraceback, torch's spawn."""
_STOPS = (*CHAIN_LINES, *_CARRIED)


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def is_marker(line: str) -> bool:
    """True for the `~~~^^^` line under a source line, which only newer interpreters print."""
    return _MARKER.match(line) is not None


def is_group_header(line: str) -> bool:
    return line.lstrip() == f"+ Exception Group {HEADER}"


def read_block(lines: Sequence[str], start: int) -> tuple[Raised | None, int]:
    """Read one traceback whose header is at `start`; also return where reading goes on.

    None where the text ends before it names an exception.
    """
    margin = indent_of(lines[start])
    frames: list[Frame] = []
    at = start + 1
    while at < len(lines):
        line = lines[at]
        if (match := _FRAME.match(line)) is not None:
            source, at = _read_source(lines, at + 1, indent_of(line))
            frames.append(Frame(match["path"], match["function"] or "", source))
        elif not line.strip() or indent_of(line) <= margin:
            break
        else:
            at += 1
    raised, at = read_exception(lines, at)
    if raised is None:
        return None, at
    return Raised(raised.type, raised.message, tuple(frames), carrier=raised.carrier), at


def read_exception(lines: Sequence[str], at: int) -> tuple[Raised | None, int]:
    """Read `Type: message` at this line with the rest of its message, and whether it carries a traceback."""
    match = EXCEPTION.match(lines[at]) if at < len(lines) else None
    if match is None:
        return None, at
    message = [match["message"] or ""]
    at += 1
    while at < len(lines) and len(message) < _MESSAGE_LINES and _continues(lines[at]):
        message.append(lines[at])
        at += 1
    return Raised(match["type"], tuple(message), carrier=carries(lines, at)), at


def carries(lines: Sequence[str], at: int) -> bool:
    """True if the next thing printed from here is a traceback that no chain line introduces."""
    for line in lines[at : at + 6]:
        if line.endswith(HEADER):
            return True
        if line.strip() and not line.lstrip().startswith(_CARRIED):
            return False
    return False


def read_group(lines: Sequence[str], start: int) -> tuple[Raised | None, int]:
    """Read an exception group: the head with its frames, then each member, flattened to the leaves."""
    members: list[list[str]] = [[]]
    at = start
    while at < len(lines) and lines[at].lstrip().startswith(("|", "+")):
        if _MEMBER.match(lines[at]):
            members.append([])
        else:
            members[-1].append(_without_gutter(lines[at]))
        at += 1
    head, *rest = (_read_member(member) for member in members)
    if head is None:
        return None, at
    leaves = tuple(leaf for leaf in rest if leaf is not None and not leaf.type.endswith("ExceptionGroup"))
    return Raised(head.type, head.message, head.frames, leaves=leaves), at


def _read_member(lines: Sequence[str]) -> Raised | None:
    """The last exception printed for a member: the member itself, after its causes."""
    last: Raised | None = None
    at = 0
    while at < len(lines):
        if lines[at].lstrip().startswith((HEADER, "Exception Group " + HEADER)):
            raised, following = read_block(lines, at)
        else:
            raised, following = read_exception(lines, at)
        last = raised or last
        at = max(following, at + 1)
    return last


def _without_gutter(line: str) -> str:
    while (gutter := _GUTTER.match(line)) is not None:
        line = line[gutter.end() :]
    return line


def _read_source(lines: Sequence[str], at: int, margin: int) -> tuple[str, int]:
    """The first source line below a frame; newer interpreters print all lines of a statement."""
    source = ""
    while at < len(lines):
        line = lines[at]
        if indent_of(line) <= margin or _FRAME.match(line):
            break
        if not source and not is_marker(line):
            source = collapse(line)
        at += 1
    return source, at


def _continues(line: str) -> bool:
    return bool(line.strip()) and not line.endswith(HEADER) and not line.lstrip().startswith(_STOPS)
