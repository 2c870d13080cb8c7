"""The hidden line by which we find our own comment or alert again."""

import re
from urllib.parse import quote

from app.domain.ids import RepoName

_MARKER = re.compile(r"<!-- flake-triage:(?:pr|main):[A-Za-z0-9._/%:~-]{1,1000} -->")


def comment_marker(repo: RepoName, number: int) -> str:
    return f"<!-- flake-triage:pr:{quote(repo, safe='/')}:{number} -->"


def alert_marker(repo: RepoName, branch: str) -> str:
    """Names of branches may hold nearly anything, the end of an HTML comment included."""
    return f"<!-- flake-triage:main:{quote(repo, safe='/')}:{quote(branch, safe='/')} -->"


def without_marker(body: str) -> str:
    """The body as people see it where Markdown is shown as it is written."""
    marker = find_marker(body)
    return body if marker is None else body.rstrip().removesuffix(marker).rstrip()


def find_marker(body: str) -> str | None:
    """The marker of a body of ours, which is the whole of its last line; compare it with the one expected.

    Only that line counts: whatever a test prints stands above it. Who wrote the body is for the caller to
    check, since anyone can copy a marker.
    """
    lines = body.rstrip().rsplit("\n", 1)
    found = _MARKER.fullmatch(lines[-1].strip())
    return found[0] if found else None
