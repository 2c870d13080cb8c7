"""Files that a tree left behind in given folders: what stands there at its end and did not at its start."""

from __future__ import annotations

import os

MOST_ENTRIES = 50_000
MOST_NAMES = 64
MOST_NAME_CHARS = 200
_OF_TOOLS = ("pytest-of-", "pytest-cache", "__pycache__", ".pytest_cache", ".hypothesis", ".coverage")
"""What pytest and Python keep by design, for the next run or for the reader."""


def listed(folder: str) -> set[str]:
    """Paths of files below it, links and sockets too; bounded, and empty where it cannot be read."""
    found: set[str] = set()
    for parent, folders, names in os.walk(folder):
        folders[:] = [one for one in folders if not one.startswith(_OF_TOOLS)]
        for name in names:
            if not name.startswith(_OF_TOOLS):
                found.add(os.path.relpath(os.path.join(parent, name), folder))
        if len(found) > MOST_ENTRIES:
            break
    return found


def told(names: set[str]) -> list[str]:
    """In order, and only so many, and so long, as a message may hold."""
    shown = sorted(names)[:MOST_NAMES]
    return [one.encode("utf-8", "replace").decode()[:MOST_NAME_CHARS] for one in shown]
