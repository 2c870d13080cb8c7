"""How many processes and threads a user has: the kernel bounds them for the user, not for a tree."""

from contextlib import suppress
from pathlib import Path


def tasks_of(user: int, proc: Path = Path("/proc")) -> int:
    """At this moment; those that end while they are counted are left out."""
    count = 0
    for entry in proc.iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if entry.stat().st_uid == user:
                    count += sum(1 for _ in (entry / "task").iterdir())
    return count
