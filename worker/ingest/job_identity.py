"""Which job of an attempt an entry tells of, also where it gives no id of GitHub's."""

from collections.abc import Iterable

from app.domain.ids import JobId
from app.domain.job_name import parse_job_name
from app.store.run_values import StoredJob
from app.store.workflows import placeholder_id
from worker.ingest.manifest import Entry

Execution = tuple[str, str, str | None]
"""Name, variant and shard as the store has them: one execution in an attempt."""


def find_job(entry: Entry, known: Iterable[StoredJob]) -> StoredJob | None:
    """The stored job that the entry tells of, if there is one."""
    jobs = tuple(known)
    by_id = [job for job in jobs if entry.job_id is not None and job.github_id == entry.job_id]
    alike = [
        job
        for job in jobs
        if (job.name, job.variant, job.shard) == _execution(entry)
        and (entry.job_id is None or job.github_id < 0)
    ]
    return next(iter((*by_id, *alike)), None)


def job_id_of(entry: Entry, known: Iterable[StoredJob]) -> JobId:
    """GitHub's id where it is known; an execution that is stored keeps the id it was stored under."""
    stored = find_job(entry, known)
    if stored is not None:
        return stored.github_id
    placeholder = placeholder_id("job", entry.run, entry.attempt, *_execution(entry))
    return JobId(entry.job_id or placeholder)


def _execution(entry: Entry) -> Execution:
    parsed = parse_job_name(entry.job[:500])
    return (entry.job[:500], (entry.variant or parsed.variant)[:500], entry.shard or parsed.shard)
