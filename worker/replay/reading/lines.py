"""A journal's lines as objects: whole ones only, however the file was cut, whatever stands in it."""

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

Event = Mapping[str, object]

MOST_BYTES = 64 * 1024 * 1024  # of one file; the probe writes half of it at most
MOST_LINE = 256 * 1024


@dataclass(slots=True)
class Tail:
    """One file of lines that may still grow: each `read` takes only what is new."""

    path: Path
    events: list[Event] = field(default_factory=list)
    torn: bool = False  # it holds, or ends in, something that is not a whole event
    _at: int = 0
    _spoilt: bool = False

    @property
    def size(self) -> int:
        """Bytes taken so far."""
        return self._at

    def read(self, most: int = MOST_BYTES) -> None:
        """Appends the events written since, up to `most` bytes of the file in all.

        A missing file, or one that is no regular file, has none.
        """
        most = min(most, MOST_BYTES)
        new = read_from(self.path, self._at, most - self._at)
        whole = new.rfind(b"\n") + 1
        for line in new[:whole].splitlines():
            event = event_of(line)
            if event is None:
                self._spoilt = True
            else:
                self.events.append(event)
        self._at += whole
        self.torn = self._spoilt or whole < len(new) or self._at >= most


def event_of(line: bytes) -> Event | None:
    """The object of one line; None for anything else."""
    if len(line) > MOST_LINE:
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("k"), str) else None


def read_from(path: Path, offset: int, most: int) -> bytes:
    """Bytes of a regular file; nothing of a link, a pipe or a device that the suspect put in its place."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode) or most <= 0:
            return b""
        with os.fdopen(opened, "rb", closefd=False) as file:
            file.seek(offset)
            return file.read(most)
    except OSError:
        return b""
    finally:
        os.close(opened)
