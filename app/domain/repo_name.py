"""What can be a repository's name: asked wherever one comes in from outside."""

import re
from typing import Final

_REPO_NAME: Final = re.compile(r"(?!\.{1,2}/)[A-Za-z0-9_.-]{1,100}/(?!\.{1,2}\Z)[A-Za-z0-9_.-]{1,100}")
"""Not `.` nor `..`, which mean something else in an address."""


def is_repo_name(text: str) -> bool:
    """Whether this can be the name of a repository, `owner/name`."""
    return _REPO_NAME.fullmatch(text) is not None


def former_name(name: str, key: int) -> str:
    """What to call a repository whose name another one bears now: told to people, and no name to GitHub.

    `key` is ours, so that two that bore one name are told apart.
    """
    return f"{name} (former repository {key})"
