"""The stand-in's own log of writes, and how many of ours were done twice.

The log is kept on GitHub's side on purpose: a service that counted its own writes could miss the one
that it forgot.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

_MARKER = re.compile(r"<!-- flake-triage:[^<>]{1,300} -->")


class What(StrEnum):
    COMMENT_CREATED = "comment-created"
    COMMENT_EDITED = "comment-edited"
    COMMENT_DELETED = "comment-deleted"
    ISSUE_CREATED = "issue-created"
    ISSUE_EDITED = "issue-edited"


@dataclass(frozen=True, slots=True)
class Write:
    """One write that took effect, whether or not its answer arrived.

    `id` is the comment's id, or the issue's number; `number` the issue or pull request it stands on;
    `changes` is False for an edit that left everything as it was; `is_open` is the issue's state after it.
    """

    what: What
    method: str
    path: str
    repo: str
    number: int
    id: int
    ours: bool
    body_sha256: str
    markers: frozenset[str]
    at: datetime
    changes: bool = True
    is_open: bool = True


def digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def markers(body: str) -> frozenset[str]:
    """Our hidden markers in a body."""
    return frozenset(_MARKER.findall(body))


def duplicate_effects(writes: Sequence[Write]) -> int:
    """How many of our writes, in the order given, repeated an effect that was already there.

    Each counts one: a second comment with one marker on one thread, a second comment with one body
    there, a second open issue with one marker, and an edit that changes nothing.
    """
    duplicates = 0
    live: dict[tuple[What, str, int], Write] = {}
    mine: set[tuple[What, str, int]] = set()
    for write in writes:
        kind = What.ISSUE_CREATED if write.what.startswith("issue") else What.COMMENT_CREATED
        key = (kind, write.repo, write.id)
        if write.ours and _repeats(write, list(live.values())):
            duplicates += 1
        if write.ours and write.what in {What.COMMENT_CREATED, What.ISSUE_CREATED}:
            mine.add(key)
        if write.what is What.COMMENT_DELETED or not write.is_open:
            live.pop(key, None)
        elif key in mine:
            live[key] = write
    return duplicates


def _repeats(write: Write, live: Sequence[Write]) -> bool:
    here = [other for other in live if other.repo == write.repo]
    match write.what:
        case What.COMMENT_CREATED:
            beside = [other for other in here if other.number == write.number and _is_comment(other)]
            return any(
                other.markers & write.markers or other.body_sha256 == write.body_sha256 for other in beside
            )
        case What.ISSUE_CREATED:
            return any(other.markers & write.markers for other in here if not _is_comment(other))
        case _:
            return not write.changes


def _is_comment(write: Write) -> bool:
    return write.what in {What.COMMENT_CREATED, What.COMMENT_EDITED}
