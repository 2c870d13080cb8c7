"""Which code judged a bundle: another build may word the same facts otherwise, and that is no forgery."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

PROSE: Final = frozenset({"sentence", "text", "reason", "consequences", "decisions"})
"""Keys of a report whose values are sentences for people; all others hold facts."""

_ROOT: Final = Path(__file__).parents[3]
_FOLDERS: Final = ("app/domain", "worker/replay")


@cache
def own_digest() -> str:
    """SHA-256 over the modules that explain, conclude and word, in order of their paths."""
    hashed = hashlib.sha256()
    for folder in _FOLDERS:
        for file in sorted((_ROOT / folder).rglob("*.py")):
            hashed.update(f"{file.relative_to(_ROOT).as_posix()}\n".encode())
            hashed.update(file.read_bytes())
    return hashed.hexdigest()


def is_prose(place: str) -> bool:
    """`place` as in `cause.sentence` or `trials[3].reason`."""
    return any(part.partition("[")[0] in PROSE for part in place.split("."))
