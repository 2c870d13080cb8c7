"""The project's own files, named relative to its folder as the suspect saw it, in frames and in texts."""

import re
from functools import lru_cache
from typing import Final

_ELSEWHERE: Final = re.compile(r"/(?:site|dist)-packages/|/\.\./")  # within the folder, not of the project
_BEFORE_A_PATH: Final = r"(?<![\w./~-])"
_REST: Final = r"([^\s\"'<>|;:,)\]]{0,1000})"


def relative(file: str, project: str) -> str | None:
    """The path below the project's folder; None for a file that is not the project's."""
    root = project.rstrip("/") + "/"
    if root == "/" or not file.startswith(root) or _ELSEWHERE.search(file, len(root) - 1):
        return None
    return file.removeprefix(root)


def is_of_project(file: str) -> bool:
    """Of a text whose files were made relative, or of pytest's own, which names them so."""
    return not file.startswith(("/", "<", "../")) and not _ELSEWHERE.search("/" + file)


def with_relative_files(text: str, project: str) -> str:
    """The same text, the project's folder taken off each of its own files."""
    if not project.strip("/"):
        return text
    root = project.rstrip("/") + "/"
    return _below(root).sub(lambda found: relative(found[0], project) or found[0], text)


@lru_cache(maxsize=8)
def _below(root: str) -> re.Pattern[str]:
    return re.compile(_BEFORE_A_PATH + re.escape(root) + _REST)
