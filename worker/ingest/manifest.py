"""A manifest: one JSON object per job execution, read line by line, a bad line costing only itself."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from app.domain.errors import Rejected
from app.domain.ids import RepoName, Sha, TreeSha
from app.domain.run import Conclusion
from worker.ingest.fields import Fields, told

LONGEST_LINE = 1024 * 1024
REQUIRED = ("repo", "workflow", "run", "event", "sha", "job", "started_at", "conclusion")


@dataclass(frozen=True, slots=True)
class Entry:
    """One job execution. `paths` and `log` are as written, to be found from `folder`.

    `sha` is the head of a pull request, whatever was merged into what; `parents`, where it names `sha`, are
    those of the merge commit that was tested. `where` says to people which line or command it stands in.
    """

    where: str
    folder: Path
    paths: tuple[str, ...]
    repo: RepoName
    workflow: str
    run: int
    attempt: int
    event: str
    sha: Sha
    tree: TreeSha | None
    parents: tuple[Sha, ...] | None
    base_sha: Sha | None
    branch: str | None
    pull: int | None
    job: str
    variant: str | None
    shard: str | None
    runner: str | None
    actor: str | None
    job_id: int | None
    started_at: datetime
    completed_at: datetime | None
    conclusion: Conclusion
    log: str | None

    @property
    def ended_at(self) -> datetime:
        return max(self.started_at, self.completed_at or self.started_at)


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of which nothing was taken; `problem` names file, line and field."""

    problem: str


def entry_of(record: Mapping[str, Any], *, where: str, folder: Path) -> Entry:
    """Raise Rejected, its subject being the field, for a record that is no job execution."""
    fields = Fields(record)
    fields.require(*REQUIRED)
    tree = fields.optional_sha("tree")
    return Entry(
        where=where,
        folder=folder,
        paths=fields.texts("paths"),
        repo=fields.repo("repo"),
        workflow=fields.text("workflow"),
        run=fields.number("run"),
        attempt=fields.optional_number("attempt") or 1,
        event=fields.text("event"),
        sha=fields.sha("sha"),
        tree=None if tree is None else TreeSha(tree),
        parents=fields.optional_shas("parents"),
        base_sha=fields.optional_sha("base_sha"),
        branch=fields.optional_text("branch"),
        pull=fields.optional_number("pr"),
        job=fields.text("job"),
        variant=fields.optional_text("variant"),
        shard=_shard(record),
        runner=fields.optional_text("runner"),
        actor=fields.optional_text("actor"),
        job_id=fields.optional_number("job_id"),
        started_at=fields.instant("started_at"),
        completed_at=fields.optional_instant("completed_at"),
        conclusion=_conclusion(fields.text("conclusion")),
        log=fields.optional_text("log"),
    )


def read_manifest(path: Path) -> Iterator[Entry | BadLine]:
    """Entries in the order of the file. Raises OSError if the file itself cannot be read."""
    folder = path.parent
    for where, line in json_lines(path):
        if isinstance(line, BadLine):
            yield line
            continue
        try:
            yield entry_of(line, where=where, folder=folder)
        except Rejected as refused:
            yield BadLine(f"{where}, {told(refused)}")


def json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any] | BadLine]]:
    """Each object of a JSON lines file with its place; blank lines are passed over."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            where = f"{path}, line {number}"
            if len(line) > LONGEST_LINE:
                while line and not line.endswith(b"\n"):
                    line = file.readline(LONGEST_LINE)
                yield where, BadLine(f"{where}: longer than {LONGEST_LINE} bytes")
            elif line.strip():
                yield where, _object(where, line)


def _object(where: str, line: bytes) -> dict[str, Any] | BadLine:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        return BadLine(f"{where}: not JSON: {error}")
    if not isinstance(record, dict):
        return BadLine(f"{where}: not a JSON object")
    return record


def _shard(record: Mapping[str, Any]) -> str | None:
    """Written as a number, or as text such as `1/4`."""
    shard = record.get("shard")
    if isinstance(shard, int) and not isinstance(shard, bool):
        return str(shard)[:60]
    written = Fields(record).optional_text("shard")
    return None if written is None else written[:60]


def _conclusion(written: str) -> Conclusion:
    try:
        return Conclusion(written)
    except ValueError as error:
        known = ", ".join(one.value for one in Conclusion)
        raise Rejected("conclusion", f"must be one of {known}") from error
