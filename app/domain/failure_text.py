"""Undo what terminals, runners and launchers add to a failure text, and part it into streams."""

import re
from dataclasses import dataclass, field

HEAD_CHARS = 64 * 1024
TAIL_CHARS = 256 * 1024
LINE_CHARS = 4_000
"""Longer lines are cut: no key reads further, and it bounds what a pattern can cost."""

_ANSI = re.compile(r"(?:\x1b|#x1B)\[[0-9;?]{0,32}[A-Za-z]")  # JUnit writers spell escape as #x1B
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z ?")
_PREFIX = re.compile(r"##\[\w{1,20}\]|\[gw\d{1,4}\] |\[(?:rank|default)(?P<rank>\d{1,6})\]: ?")
_CAPTURED = re.compile(r"-{3,} ?Captured (?:stdout|stderr|log) \w{1,20} ?-{3,}$")
_SECTION = re.compile(r"[=_]{3,} .{1,300} [=_]{3,}$")
_WORKER_HEADER = re.compile(r"\[gw\d{1,4}\] \w+ -- Python ")


@dataclass(slots=True)
class Stream:
    """Lines of one writer. `rank` is set where each line bore its label; `captured` output is hearsay."""

    rank: int | None
    captured: bool
    lines: list[str] = field(default_factory=list)


def cap(text: str) -> tuple[str, bool]:
    """Keep the head and the tail of a long text (a cause stands near one of them); True if it was cut."""
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text, False
    return f"{text[:HEAD_CHARS]}\n\n{text[-TAIL_CHARS:]}", True


def part_streams(text: str) -> list[Stream]:
    """Part a capped text by rank label and captured section, prefixes removed; empty streams are left out.

    Ranks write over each other, so their lines must be sorted out before any traceback can be read.
    """
    if "\x1b" in text or "#x1B" in text:
        text = _ANSI.sub("", text)
    own, captured = Stream(None, captured=False), Stream(None, captured=True)
    ranks: dict[tuple[int, bool], Stream] = {}
    current = own
    for raw in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        line, rank = _bare(raw[:LINE_CHARS])
        if line.startswith(("---", "===", "___")):
            line = line.rstrip()
            if _CAPTURED.match(line):
                current = captured
                continue
            if current is captured and _SECTION.match(line):
                current = own
        if rank is None:
            current.lines.append(line)
        else:
            key = (rank, current.captured)
            ranks.setdefault(key, Stream(rank, captured=current.captured)).lines.append(line)
    ordered = [own, *(ranks[key] for key in sorted(ranks)), captured]
    return [stream for stream in ordered if any(line.strip() for line in stream.lines)]


def _bare(line: str) -> tuple[str, int | None]:
    """One line without its prefixes, and the rank they named."""
    rank: int | None = None
    line = line.removeprefix("\ufeff")
    if line[:1].isdigit() and (stamp := _TIMESTAMP.match(line)):
        line = line[stamp.end() :]
    while line[:1] in {"[", "#"} and (prefix := _PREFIX.match(line)):
        if _WORKER_HEADER.match(line):
            return "", rank
        if prefix["rank"] is not None:
            rank = int(prefix["rank"])
        line = line[prefix.end() :]
    return line, rank
