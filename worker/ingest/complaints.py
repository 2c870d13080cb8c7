"""What a person should hear of entries that were taken only in part, or not because they are known."""

from collections.abc import Collection, Iterator, Sequence

from app.domain.gap import Gap, GapKind
from app.domain.run import Conclusion
from app.store.known_attempt import KnownAttempt
from app.store.run_values import StoredJob
from worker.ingest.job_identity import find_job
from worker.ingest.manifest import Entry
from worker.ingest.sources import ORIGIN

UNREADABLE = frozenset({GapKind.FILE_REFUSED, GapKind.FILE_PARTIAL, GapKind.RESULTS_INCOMPLETE})


def unreadable(noted: Collection[tuple[int, Gap]], jobs: Collection[int]) -> Iterator[tuple[GapKind, str]]:
    """Of the gaps of an attempt (each with its job) those on results of these jobs, in words."""
    for job, gap in noted:
        if job in jobs and gap.kind in UNREADABLE:
            yield gap.kind, f"{gap.subject.removeprefix(f'{ORIGIN}/')}: {gap.detail}; it counts as a gap"


def differences(entries: Sequence[Entry], known: KnownAttempt) -> Iterator[str]:
    """What entries on stored jobs say otherwise than the store, which keeps what it has."""
    told: dict[int, tuple[StoredJob, list[Conclusion]]] = {}
    for entry in entries:
        job = find_job(entry, known.jobs)
        if job is not None:
            told.setdefault(job.id, (job, []))[1].append(entry.conclusion)
    for job, conclusions in told.values():
        worst = next((one for one in conclusions if one.is_red), conclusions[-1])
        if worst is not job.conclusion:
            was = "unfinished" if job.conclusion is None else job.conclusion.value
            yield f"job {job.name} is stored as {was} and stays so; --replace makes it {worst.value}"
