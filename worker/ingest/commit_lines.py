"""A commits file: one JSON object per commit, each known from its `at` on."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.domain.errors import Rejected
from app.domain.ids import TreeSha
from app.store.commits import CommitFacts
from worker.ingest.fields import Fields, told
from worker.ingest.manifest import BadLine, json_lines

ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)
"""From when a commit without `at` is known."""


@dataclass(frozen=True, slots=True)
class DatedCommit:
    known_from: datetime
    facts: CommitFacts


@dataclass(slots=True)
class CommitLines:
    """Commits by the time they are known from, and what was wrong with the other lines."""

    commits: list[DatedCommit] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)


def read_commits(path: Path) -> CommitLines:
    """Read the whole file. Raises OSError if it cannot be read."""
    found = CommitLines()
    for where, line in json_lines(path):
        if isinstance(line, BadLine):
            found.bad.append(line)
            continue
        try:
            found.commits.append(_commit(line))
        except Rejected as refused:
            found.bad.append(BadLine(f"{where}, {told(refused)}"))
    found.commits.sort(key=lambda commit: commit.known_from)
    return found


def _commit(record: dict[str, Any]) -> DatedCommit:
    fields = Fields(record)
    at = fields.optional_instant("at")
    tree = fields.optional_sha("tree")
    author = fields.optional_text("author")
    branch = fields.optional_text("branch")
    facts = CommitFacts(
        sha=fields.sha("sha"),
        tree=None if tree is None else TreeSha(tree),
        parents=fields.optional_shas("parents"),
        author=author and author[:200],
        branch=branch and branch[:300],
        pull=fields.optional_number("pr"),
        committed_at=at,
    )
    return DatedCommit(at or ALWAYS, facts)
