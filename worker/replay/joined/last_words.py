"""Last lines of the dying, found on a standard error that they share, and told to their owner."""

import re
import signal
from collections.abc import Mapping, Sequence
from typing import Final

from worker.replay.facts import Exit

MOST_LINES: Final = 12
LONGEST: Final = 400
_FATAL: Final = "Fatal Python error: "
_SIGNALS: Final = {
    "Aborted": signal.SIGABRT,
    "Segmentation fault": signal.SIGSEGV,
    "Bus error": signal.SIGBUS,
    "Illegal instruction": signal.SIGILL,
    "Floating point exception": signal.SIGFPE,
    "Floating-point exception": signal.SIGFPE,
}
CRASHES: Final = frozenset(_SIGNALS.values())
_WORDS: Final = re.compile(
    r"terminate called |  what\(\):|pure virtual method called|libc\+\+abi: |\*\*\* .{1,80} \*\*\*"
    r"|(?:free|malloc|realloc|munmap_chunk|malloc_consolidate|calloc)\(\): |corrupted |double free or "
    r"|.{0,200}: Assertion [`'].{0,200} failed|Segmentation fault|Bus error|Aborted|Illegal instruction"
    r"|.{0,80}SIG(?:ABRT|SEGV|BUS|ILL|FPE)\b"
)
"""What the C and C++ libraries, the shell and abort handlers print; each from the line's start."""


def tell_owners(text: str, exits: Sequence[Exit]) -> Mapping[int, tuple[str, ...]]:
    """By process: the last words of those that died of a crash.

    One death takes all words. Several take them in order, and only where each block's own signal fits;
    words that could be of two are given to nobody.
    """
    deaths = sorted((one for one in exits if one.signal in CRASHES and not one.by_us), key=lambda one: one.t)
    blocks = _blocks(text)
    if not deaths or not blocks:
        return {}
    if len(deaths) == 1:
        lines = [line for block in blocks for line in block]
        return {deaths[0].pid: tuple(lines[-MOST_LINES:])}
    told: dict[int, tuple[str, ...]] = {}
    if len(deaths) == len(blocks) and all(
        _signal_of(block) in {None, death.signal} for block, death in zip(blocks, deaths, strict=True)
    ):
        told = {death.pid: tuple(block) for death, block in zip(deaths, blocks, strict=True)}
    elif len({tuple(block) for block in blocks}) == 1:
        told = {death.pid: tuple(blocks[0]) for death in deaths}
    return told


def _blocks(text: str) -> list[list[str]]:
    """Lines that name an abort; faulthandler's line, which comes last of a death's, closes a block."""
    blocks: list[list[str]] = []
    is_open = False
    for raw in text.splitlines():
        line = raw.rstrip()[:LONGEST]
        is_fatal = line.startswith(_FATAL)
        if not is_fatal and not _WORDS.match(line):
            continue
        if is_open:
            blocks[-1].append(line)
        else:
            blocks.append([line])
        is_open = not is_fatal and len(blocks[-1]) < MOST_LINES
    return blocks


def _signal_of(block: Sequence[str]) -> int | None:
    for line in block:
        if line.startswith(_FATAL):
            return _SIGNALS.get(line.removeprefix(_FATAL))
    return None
