"""Read what GitHub noted at red jobs whose logs tell no cause, as far as we may: a lost runner's end."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.annotation import cause_noted
from app.domain.errors import CredentialsRefused, Gone, Rejected
from app.domain.gap import Gap, GapKind
from app.store.artifacts import FileKind, SourceFile
from app.store.blobs import PackedBlob
from app.store.run_values import StoredAttempt, StoredJob
from worker.deps import Deps

MOST_JOBS: Final = 20
"""Of an attempt; each costs two requests, and where more fail so, one cause is known of many."""
_HELP: Final = "the permission Checks: read would let the cause be read"


@dataclass(frozen=True, slots=True)
class Noted:
    """`file` and `blob` are there only where a cause was noted."""

    job: int
    gap: Gap | None = None
    file: SourceFile | None = None
    blob: PackedBlob | None = None


def read_annotations(deps: Deps, attempt: StoredAttempt, silent: Sequence[StoredJob]) -> list[Noted]:
    """For red jobs without a log, or whose log names no cause; what cannot be read is a gap."""
    left = [
        Noted(job.id, _gap(job, f"not read, since {len(silent)} jobs left no cause"))
        for job in silent[MOST_JOBS:]
    ]
    return [*(_of_job(deps, attempt, job) for job in silent[:MOST_JOBS]), *left]


def _of_job(deps: Deps, attempt: StoredAttempt, job: StoredJob) -> Noted:
    try:
        found = deps.github.annotations(attempt.repo_name, job.github_id)
    except (Gone, Rejected, CredentialsRefused) as error:
        return Noted(job.id, _gap(job, f"{error.reason}; {_HELP}"))
    cause = cause_noted(found)
    if not cause:
        return Noted(job.id)
    blob = PackedBlob(io.BytesIO(cause.encode()))
    place = f"{job.github_id}.txt"
    return Noted(
        job.id,
        file=SourceFile(job.id, "annotations", place, FileKind.ANNOTATIONS, blob.digest),
        blob=blob,
    )


def _gap(job: StoredJob, detail: str) -> Gap:
    return Gap(GapKind.ANNOTATIONS_UNREAD, job.name, detail)
