"""How little memory may be asked for: a limit below what a test needs finds nothing but itself."""

from typing import Final

from worker.replay.limits import MIB

LEAST_MARGIN: Final = 1.2


class MemoryTooTight(ValueError):
    """A memory limit that the test would not pass even on its best day."""


def checked_memory(asked_bytes: int, peak_bytes: int | None, *, insists: bool = False) -> int:
    """The limit as asked. MemoryTooTight below 1.2 times the peak of an unlimited run, unless insisted on.

    Without a measured peak nothing can be said against a limit, and nothing is.
    """
    if asked_bytes <= 0:
        raise MemoryTooTight("a memory limit is more than 0 bytes")
    if peak_bytes is not None and not insists and asked_bytes < least_memory(peak_bytes):
        raise MemoryTooTight(
            f"{asked_bytes // MIB} MiB is under {LEAST_MARGIN} times the {peak_bytes // MIB} MiB that the"
            " test needed without a limit: it would fail for that alone"
        )
    return asked_bytes


def least_memory(peak_bytes: int) -> int:
    """The tightest limit that says something of a test with this peak."""
    return -(-peak_bytes * 12 // 10)
