"""Which files `lint` reads: those that are named, and every Python file of the folders that are named."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from app.domain.lint.sarif import Unread
from worker.commands.file_names import absolute, shown
from worker.commands.lint_ignored import ignored_by_git

SKIPPED = frozenset(
    {"node_modules", "site-packages", "__pycache__", "__pypackages__", "build", "dist", "_build"}
)
"""Folders of other people's code, or of copies of one's own; beside hidden ones and virtual environments."""
VIRTUAL_ENVIRONMENT = ("pyvenv.cfg", "conda-meta")
MOST_FILES = 100_000


@dataclass(slots=True)
class Gathered:
    """Files in the order of the names given, then by path, each once; and what could not be looked into."""

    files: list[Path] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    is_cut: bool = False


def gather(named: Iterable[Path], *, exclude: Sequence[str] = (), most: int = MOST_FILES) -> Gathered:
    """Look through folders without following links, which is why no loop of them can hold it up.

    Ends at `most` files, and then `is_cut`.

    A file or folder that is named is taken whatever its name is; only what is found below is left out by it.
    """
    found = Gathered()
    for path in named:
        if path.is_dir():
            _look_through(path, exclude, found, most)
        else:
            found.files.append(path)
    found.files = list({absolute(path): path for path in reversed(found.files)}.values())[::-1]
    return found


def _look_through(folder: Path, exclude: Sequence[str], found: Gathered, most: int) -> None:
    ignored = ignored_by_git(folder)
    waiting = [folder]
    while waiting and not found.is_cut:
        current = waiting.pop()
        try:
            entries = sorted(os.scandir(current), key=lambda entry: entry.name)
        except OSError as error:
            found.unread.append(Unread(shown(current), _words(error)))
            continue
        taken = [entry for entry in entries if not _is_left_out(Path(entry.path), exclude, ignored)]
        found.files += [Path(entry.path) for entry in taken if _is_python(entry)]
        found.is_cut = len(found.files) > most
        waiting += [Path(entry.path) for entry in reversed(taken) if _is_looked_through(entry)]


def _is_python(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(".py") and entry.is_file(follow_symlinks=False)


def _is_looked_through(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith(".") or entry.name in SKIPPED or not entry.is_dir(follow_symlinks=False):
        return False
    return not any((Path(entry.path) / name).exists() for name in VIRTUAL_ENVIRONMENT)


def _is_left_out(path: Path, exclude: Sequence[str], ignored: frozenset[str]) -> bool:
    name = shown(path)
    return absolute(path) in ignored or any(
        fnmatchcase(name, pattern) or fnmatchcase(path.name, pattern) for pattern in exclude
    )


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
