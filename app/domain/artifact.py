"""Artifacts: which may hold results, how much of one we take, and which job it came from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.ids import ArtifactId, JobId
from app.domain.job_name import parse_job_name
from app.domain.run import Job


@dataclass(frozen=True, slots=True)
class ArtifactRef:
    id: ArtifactId
    name: str
    size_bytes: int
    digest: str | None
    expired: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class UnpackBudget:
    """Bounds on one artifact; a fork's job can upload anything."""

    download_bytes: int = 256 * 1024 * 1024
    entries: int = 10_000
    entry_bytes: int = 64 * 1024 * 1024
    total_bytes: int = 512 * 1024 * 1024
    ratio: int = 200
    """Unpacked bytes per packed byte, beyond 1 MiB of output; real XML compresses 10 to 40 times."""


def attribute_artifact(name: str, created_at: datetime | None, jobs: Sequence[Job]) -> JobId | None:
    """Name the job that uploaded an artifact, or None when the facts leave more than one.

    GitHub does not say (`reference`: REST, artifacts). Two facts narrow it: the matrix values in both
    names, then the upload's time inside the job's own window.
    """
    ran = [job for job in jobs if job.started_at is not None]
    if len(ran) == 1:
        return ran[0].id
    scores = {job.id: _shared_values(name, job.name) for job in ran}
    best = max(scores.values(), default=0)
    candidates = [job for job in ran if best > 0 and scores[job.id] == best] or ran
    if len(candidates) == 1:
        return candidates[0].id
    inside = [job for job in candidates if created_at is not None and _was_running(job, created_at)]
    return inside[0].id if len(inside) == 1 else None


def attribute_bundle(
    name: str, created_at: datetime | None, jobs: Sequence[Job], *, runner: str
) -> JobId | None:
    """Name the job that made a replay bundle: by the runner that the bundle names, else as any artifact's.

    No two jobs run on one runner at a time. Without a name, what ends the artifact's own is left out: it is
    the job's place in its matrix and the attempt, and either may look like a matrix value.
    """
    there = [job for job in jobs if runner and job.runner == runner and job.started_at is not None]
    if len(there) > 1:
        there = [job for job in there if created_at is not None and _was_running(job, created_at)]
    if len(there) == 1:
        return there[0].id
    return attribute_artifact(re.sub(r"-\d{1,6}-\d{1,6}$", "", name), created_at, jobs)


def _shared_values(artifact: str, job: str) -> int:
    parsed = parse_job_name(job)
    words = [*parsed.values, *([parsed.shard] if parsed.shard else [])]
    found = sum(1 for word in words if _mentions(artifact, word))
    return found * 2 + (1 if _mentions(artifact, parsed.base) else 0)


def names_job(artifact: str, job: str) -> bool:
    """Whether an artifact's name holds all that tells a job from others: its values, or else its name."""
    parsed = parse_job_name(job)
    words = [*parsed.values, *([parsed.shard] if parsed.shard else [])] or [parsed.base]
    return all(_mentions(artifact, word) for word in words)


def _mentions(artifact: str, word: str) -> bool:
    """True if `word` stands in the name as a whole: `3.1` is not in `junit-3.12`, but is in `py3.1`."""
    flat = re.sub(r"[^0-9a-z.]+", "-", word.lower()).strip("-.")
    if not flat:
        return False
    pattern = rf"(?:^|[^0-9a-z.]|(?<=py)|(?<=python)){re.escape(flat)}(?:$|[^0-9a-z.]|\.(?![0-9]))"
    return re.search(pattern, re.sub(r"[_\s]+", "-", artifact.lower())) is not None


def _was_running(job: Job, moment: datetime) -> bool:
    if job.started_at is None or moment < job.started_at:
        return False
    return job.completed_at is None or moment <= job.completed_at
