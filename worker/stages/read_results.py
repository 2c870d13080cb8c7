"""Third stage: read the files of an attempt into results; what cannot be read is a gap, never a pass."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import BinaryIO

from sqlalchemy.orm import Session

from app.domain.explaining.explanation import Explanation
from app.domain.explaining.log_explanation import explain
from app.domain.explaining.log_scan import LogScan
from app.domain.gap import Gap, GapKind
from app.domain.job_results import JobResults, gather_results
from app.domain.joblog.job_log import JobLog, read_job_log
from app.domain.matrix_legs import Leg, siblings_with_results, told_by_siblings
from app.domain.outcome import Errored, Failed, OutcomeKind, TestId
from app.domain.results.reading_budget import ReadingBudget
from app.domain.results.results_file import Reading
from app.domain.run_vector import Cell
from app.store import artifacts, blobs, failures, gaps, identities, recording, results, runs
from app.store.artifacts import FileKind, SourceFile
from app.store.failures import NewFailure
from app.store.identities import KeyCache
from app.store.outbox import Order, ask
from app.store.run_values import StoredAttempt, StoredJob
from app.store.session import read_only, unit_of_work
from worker.deps import Deps, Kernel, Payload


@dataclass(frozen=True, slots=True)
class ReadJob:
    job: StoredJob
    found: JobResults
    texts: dict[TestId | None, blobs.PackedBlob]
    """The text of each red result by its test; of the untold failure under None."""


def read_results(deps: Deps, payload: Payload) -> None:
    key = payload["attempt"]
    read_attempt(deps, key, Order(f"group:{key}", "group_failures", {"schema": 1, "attempt": key}))


def read_attempt(
    kernel: Kernel,
    key: int,
    *then: Order,
    only: Collection[int] | None = None,
    test_keys: KeyCache | None = None,
) -> None:
    """Read everything outside a transaction, then store it in one, with what is to follow.

    Safe to repeat: results replace themselves, and counters have a guard. `only` names the jobs to read,
    where the others are known to be read already.
    """
    with read_only(kernel.store) as session:
        attempt = runs.attempt(session, key)
        files = artifacts.files_of(session, key)
        jobs = runs.jobs_of(session, key)
    known = {job.id for job in jobs}  # also those that a try before this one has adopted
    jobs += [job for job in _adopt_orphans(kernel, attempt, files) if job.id not in known]
    wanted = [job for job in jobs if only is None or job.id in only]
    budget = ReadingBudget()
    read = [_read_job(kernel, job, [file for file in files if _belongs(file, job)], budget) for job in wanted]
    read = _beside_siblings(read, jobs, files)
    now = kernel.clock.now()
    with unit_of_work(kernel.store) as session:
        cells = [_store_job(session, attempt, job, test_keys, at=now) for job in read]
        claimed = recording.claim_counting(session, [one.job for one in cells if one.cells], at=now)
        new = [one for one in cells if one.job in claimed]
        results.add_to_days(session, new, day=attempt.started_at.date())
        ask(session, *then)


def _adopt_orphans(kernel: Kernel, attempt: StoredAttempt, files: Sequence[SourceFile]) -> list[StoredJob]:
    """Results that belong to no known job get a job of their own, so that none is lost."""
    origins = sorted({file.origin for file in files if file.job is None and file.kind is FileKind.RESULTS})
    if not origins:
        return []
    now = kernel.clock.now()
    with unit_of_work(kernel.store) as session:
        adopted = [recording.adopt_job(session, attempt, f"artifact {origin}") for origin in origins]
        detail = "which job uploaded it cannot be told from its name or its time"
        for origin in origins:
            gap = Gap(GapKind.RESULTS_UNATTRIBUTED, origin, detail)
            gaps.note(session, attempt.id, None, [gap], at=now)
    return adopted


def _belongs(file: SourceFile, job: StoredJob) -> bool:
    if file.job is None:
        return job.name == f"artifact {file.origin}"
    return file.job == job.id


def _read_job(kernel: Kernel, job: StoredJob, files: Sequence[SourceFile], budget: ReadingBudget) -> ReadJob:
    log: JobLog | None = None
    why: Explanation | None = None
    noted = ""
    is_red = job.conclusion is not None and job.conclusion.is_red
    for file in files:
        if file.kind is FileKind.JOB_LOG:
            scan = LogScan()
            log = read_job_log(_open(kernel, file), also=scan.feed if is_red else None)
            why = explain(log, scan.scan()) if is_red else None
        elif file.kind is FileKind.ANNOTATIONS:
            noted = _open(kernel, file).read().decode()
    found = gather_results(job.name, job.conclusion, _readings(kernel, files, budget), log, noted, why)
    texts: dict[TestId | None, blobs.PackedBlob] = {
        result.test: blobs.pack(result.outcome.text)
        for result in found.results
        if isinstance(result.outcome, Failed | Errored)
    }
    if found.untold is not None:
        texts[None] = blobs.pack(found.untold.text)
    return ReadJob(job, found, texts)


def _beside_siblings(
    read: Sequence[ReadJob], jobs: Sequence[StoredJob], files: Sequence[SourceFile]
) -> list[ReadJob]:
    """A matrix leg without a results file says which of its siblings had one.

    Of a job that was read before, a file that may hold results stands for one that did.
    """
    had_file = {file.job for file in files if file.kind is FileKind.RESULTS}
    had_file -= {one.job.id for one in read if not one.found.has_file}
    legs = {
        job.id: Leg(job.name, job.variant, job.shard, job.conclusion, job.id in had_file)
        for job in jobs
        if not job.is_adopted
    }
    told = []
    for one in read:
        leg = legs.get(one.job.id)
        siblings = () if leg is None else siblings_with_results(leg, legs.values())
        gaps = told_by_siblings(one.job.name, one.found.gaps, siblings)
        told.append(replace(one, found=replace(one.found, gaps=gaps)) if siblings else one)
    return told


def _readings(
    kernel: Kernel, files: Sequence[SourceFile], budget: ReadingBudget
) -> Iterator[tuple[str, Reading]]:
    """One file after the other, so that no two are in memory; two files of equal bytes are one."""
    budget.start_job()
    by_blob = {file.blob: file for file in reversed(files) if file.kind is FileKind.RESULTS}
    for file in sorted(by_blob.values(), key=_place):
        yield _place(file), budget.read(_open(kernel, file))


def _place(file: SourceFile) -> str:
    return f"{file.origin}/{file.path}"


def _open(kernel: Kernel, file: SourceFile) -> BinaryIO:
    with read_only(kernel.store) as session:
        return blobs.stream(session, file.blob)


def _store_job(
    session: Session, attempt: StoredAttempt, read: ReadJob, test_keys: KeyCache | None, *, at: datetime
) -> results.JobCells:
    job, found = read.job, read.found
    tests = [result.test for result in found.results]
    keys = identities.keys_of(session, attempt.repo, tests, test_keys)
    cells = [
        Cell(
            keys[result.test],
            result.outcome.kind,
            None if result.duration_s is None else round(result.duration_s * 1000),
        )
        for result in found.results
    ]
    job_cells = results.JobCells(job.id, job.variant_id, tuple(cells))
    if cells:
        results.store_vector(session, job_cells, day=attempt.started_at.date())
    blobs.keep(session, *read.texts.values())
    failures.record_once(session, attempt.repo, attempt.id, _failures(attempt, read, keys))
    gaps.note(session, attempt.id, job.id, found.gaps, at=at)
    return job_cells


def _failures(attempt: StoredAttempt, read: ReadJob, keys: dict[TestId, int]) -> list[NewFailure]:
    at = read.job.completed_at or attempt.completed_at
    rows = [
        NewFailure(
            job=read.job.id,
            test=keys[result.test],
            outcome=result.outcome.kind,
            message=result.outcome.message,
            text_blob=read.texts[result.test].digest,
            cut=result.outcome.cut,
            path=result.path,
            line=result.line,
            failed_at=at,
        )
        for result in read.found.results
        if isinstance(result.outcome, Failed | Errored)
    ]
    untold = read.found.untold
    if untold is not None:
        blob = read.texts[None].digest
        rows.append(
            NewFailure(
                read.job.id, None, OutcomeKind.FAILED, untold.message, blob, untold.cut, None, None, at
            )
        )
    return rows
