"""Files below a folder that may hold results or logs, in the order of their paths."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from worker.commands.given_names import is_never_read, is_promising
from worker.commands.no_file import system_words

MOST_FILES: Final = 100_000
_SKIPPED: Final = frozenset({"node_modules", "site-packages", "__pycache__", "__pypackages__"})


class Found(NamedTuple):
    """A file to open; without a path, standard input."""

    name: str
    path: Path | None
    is_meant: bool


class Closed(NamedTuple):
    """A folder that cannot be looked into, or not to its end."""

    name: str
    reason: str


def look_through(folder: Path) -> Iterator[Found | Closed]:
    """Without hidden files and folders, and without links, so nothing outside and nothing twice.

    At most `MOST_FILES`; a folder that holds more is `Closed` at its end.
    """
    waiting = [folder]
    count = 0
    while waiting:
        current = waiting.pop()
        try:
            entries = sorted(os.scandir(current), key=lambda entry: entry.name)
        except OSError as error:
            yield Closed(current.as_posix(), system_words(error))
            continue
        for path in _files(entries):
            if count == MOST_FILES:
                yield Closed(folder.as_posix(), f"holds more than {MOST_FILES:,} files; the others were left")
                return
            count += 1
            yield Found(path.as_posix(), path, is_promising(path.name))
        waiting += [Path(entry.path) for entry in reversed(entries) if _is_looked_through(entry)]


def _files(entries: list[os.DirEntry[str]]) -> Iterator[Path]:
    for entry in entries:
        is_seen = not entry.name.startswith(".") and not is_never_read(entry.name)
        if is_seen and entry.is_file(follow_symlinks=False):
            yield Path(entry.path)


def _is_looked_through(entry: os.DirEntry[str]) -> bool:
    is_seen = not entry.name.startswith(".") and entry.name not in _SKIPPED
    return is_seen and entry.is_dir(follow_symlinks=False) and not (Path(entry.path) / "pyvenv.cfg").exists()
