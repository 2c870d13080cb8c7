"""Fetch the log of one job: for the commit it tested, and, where the job is red, to keep."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.domain.checkout import Checkout, tested_checkout
from app.domain.errors import Gone, Rejected
from app.domain.gap import Gap, GapKind
from app.domain.joblog.job_log import JobLog, read_job_log
from app.domain.log_doubts import names_cause
from app.domain.run import Conclusion
from app.domain.tested_tree import TestedTree
from app.store import blobs
from app.store.artifacts import FileKind, SourceFile
from app.store.run_values import StoredAttempt, StoredJob
from worker.deps import Deps
from worker.fetching.tested_trees import TreeFinder

LIMIT_BYTES = 16 * 1024 * 1024
"""Of a longer log the head and the larger tail are taken; logs of 500 MB exist."""

NEVER_RAN = frozenset({Conclusion.SKIPPED, Conclusion.ACTION_REQUIRED, Conclusion.STALE})


@dataclass(frozen=True, slots=True)
class FetchedLog:
    """`blob` and `files` are there only for a job whose log is kept."""

    job: int
    tested: TestedTree
    gaps: tuple[Gap, ...]
    blob: blobs.PackedBlob | None = None
    files: tuple[SourceFile, ...] = ()
    timed_out: bool = False
    """The job is called cancelled, and its log says that it ran out of its time."""
    is_silent: bool = False
    """There is no log, or it tells nothing of why a job failed; not so where we may not read it."""


@dataclass(frozen=True, slots=True)
class _ReadLog:
    """What one job's log gave, before the logs of the other jobs are known."""

    job: StoredJob
    checkout: Checkout | None = None
    gaps: tuple[Gap, ...] = ()
    blob: blobs.PackedBlob | None = None
    files: tuple[SourceFile, ...] = ()
    timed_out: bool = False
    is_silent: bool = False
    was_read: bool = False


class LogFetcher:
    """For one attempt. A log that cannot be had is a gap; what was tested may then still be known."""

    def __init__(self, deps: Deps, attempt: StoredAttempt) -> None:
        self._deps, self._attempt = deps, attempt
        self.trees = TreeFinder(deps, attempt)

    def fetch(self, jobs: Sequence[StoredJob]) -> list[FetchedLog]:
        """One for each job that ran; others have no log and tested nothing.

        All logs are read first, since what one job checked out can contradict what another seems to test.
        """
        ran = [job for job in jobs if job.started_at is not None and job.conclusion not in NEVER_RAN]
        read = [self._read(job) for job in ran]
        in_run = {one.checkout.commit for one in read if one.checkout and one.checkout.commit}
        fetched = []
        for one in read:
            tested, gaps = self.trees.find(one.job.name, one.checkout, in_run=in_run, has_log=one.was_read)
            told = (*gaps, *one.gaps)
            fetched.append(
                FetchedLog(one.job.id, tested, told, one.blob, one.files, one.timed_out, one.is_silent)
            )
        return fetched

    def _read(self, job: StoredJob) -> _ReadLog:
        is_red = job.conclusion is None or job.conclusion is not Conclusion.SUCCESS
        if not is_red and not self._deps.settings.read_passed_logs:
            return _ReadLog(job)
        return self._download(job, keep=is_red)

    def _download(self, job: StoredJob, *, keep: bool) -> _ReadLog:
        with tempfile.TemporaryDirectory(dir=self._deps.scratch) as folder:
            try:
                got = self._deps.github.download_job_log(
                    self._attempt.repo_name, job.github_id, Path(folder) / "log", limit_bytes=LIMIT_BYTES
                )
            except Gone as gone:
                return _ReadLog(job, gaps=(Gap(GapKind.LOG_GONE, job.name, gone.reason),), is_silent=True)
            except Rejected as refused:
                return _ReadLog(job, gaps=(Gap(GapKind.LOG_REFUSED, job.name, refused.reason),))
            with got.path.open("rb") as stream:
                log = read_job_log(stream)
            blob = None
            if keep:
                with got.path.open("rb") as stream:
                    blob = blobs.PackedBlob(stream)
        gaps: tuple[Gap, ...] = ()
        if got.cut:
            gaps = (Gap(GapKind.LOG_CUT, job.name, f"only {LIMIT_BYTES} bytes of it were taken"),)
        files = () if blob is None else (_source_file(job, blob, cut=got.cut),)
        timed_out = job.conclusion is Conclusion.CANCELLED and log.ran_out_of_time
        checkout, is_silent = self._checkout(log), not names_cause(log)
        return _ReadLog(job, checkout, gaps, blob, files, timed_out, is_silent, was_read=True)

    def _checkout(self, log: JobLog) -> Checkout | None:
        return tested_checkout(log.checkouts, self._attempt.repo_name)


def _source_file(job: StoredJob, blob: blobs.PackedBlob, *, cut: bool) -> SourceFile:
    return SourceFile(job.id, "log", f"{job.github_id}.txt", FileKind.JOB_LOG, blob.digest, cut)
