"""One file read as what it is: results or a log, with its counts, or refused with a reason."""

import hashlib
from dataclasses import dataclass
from typing import Final

from app.domain.errors import Rejected
from app.domain.joblog.job_log import JobLog, read_job_log
from app.domain.log_doubts import CUT, log_doubts
from app.domain.outcome import OutcomeKind, Result
from app.domain.results.junit import SUITE_ITSELF
from app.domain.results.results_file import Declared, Reading, ReadStatus
from worker.commands.given_content import read_content
from worker.commands.given_files import Given, Unreadable
from worker.commands.no_file import system_words

LOG: Final = "log"
DIGEST_CHUNK: Final = 64 * 1024
DIGESTED_BYTES: Final = 64 * 1024 * 1024
"""Equal files are found among those up to this size; a digest costs a hundredth of the reading."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Records as they stand in the file; None where that is not known. A refused file has none."""

    cases: int | None = 0
    passed: int | None = 0
    failed: int | None = 0
    errored: int | None = 0
    skipped: int | None = 0
    flaky_reruns: int | None = 0
    distinct_ids: int | None = 0

    @property
    def red(self) -> int:
        return (self.failed or 0) + (self.errored or 0)


@dataclass(frozen=True, slots=True)
class FileRead:
    """What reading one file gave. `digest` tells files of equal content; None where it was not taken."""

    name: str
    format: str | None
    status: ReadStatus
    reason: str | None = None
    counts: Counts = Counts()
    declared: Declared | None = None
    problems: tuple[str, ...] = ()
    results: tuple[Result, ...] = ()
    digest: bytes | None = None


def refused(name: str, reason: str) -> FileRead:
    return FileRead(name, None, ReadStatus.REFUSED, reason)


def read_given(given: Given | Unreadable) -> FileRead | None:
    """Read one file; None for one that nobody meant and that holds neither results nor a log."""
    if isinstance(given, Unreadable):
        return refused(given.name, given.reason)
    try:
        read = _read(given)
    except Rejected as error:
        read = refused(given.name, error.reason)
    except OSError as error:
        read = refused(given.name, system_words(error))
    return read if given.is_meant or read.status is not ReadStatus.REFUSED else None


def _read(given: Given) -> FileRead:
    digest = _digest(given) if given.size <= DIGESTED_BYTES else None
    content = read_content(given, read_job_log)
    if isinstance(content, JobLog):
        return of_log(given.name, content, digest)
    return _from_results(given.name, content, digest)


def _digest(given: Given) -> bytes:
    digest = hashlib.sha256()
    while piece := given.stream.read(DIGEST_CHUNK):
        digest.update(piece)
    given.stream.seek(0)
    return digest.digest()


def _from_results(name: str, reading: Reading, digest: bytes | None) -> FileRead:
    records = reading.records
    tests = [result.test for result in reading.results if result.test.name != SUITE_ITSELF]
    distinct = {(test.file, test.classname, test.name) for test in tests}
    counts = Counts(
        records.cases,
        records.passed,
        records.failed,
        records.errored,
        records.skipped,
        records.flaky_reruns,
        len(distinct),
    )
    return FileRead(
        name,
        reading.format,
        reading.status,
        reading.reason,
        counts,
        None if reading.format is None else reading.declared,
        reading.problems,
        reading.results,
        digest,
    )


def of_log(name: str, log: JobLog, digest: bytes | None) -> FileRead:
    """What a log does not tell is None: a test that it does not name may have passed, or never run."""
    kinds = [result.outcome.kind for result in log.failures]
    failed, errored = kinds.count(OutcomeKind.FAILED), kinds.count(OutcomeKind.ERRORED)
    told = log.counts
    is_known = told is not None or bool(kinds)
    counts = Counts(
        cases=None,
        passed=None if told is None else told.passed,
        failed=failed if is_known else None,
        errored=errored if is_known else None,
        skipped=None if told is None else told.skipped,
        flaky_reruns=None,
        distinct_ids=None,
    )
    problems = tuple(doubt.words for doubt in log_doubts(log, counts.red))
    return FileRead(
        name,
        LOG,
        ReadStatus.PARTIAL if log.cut else ReadStatus.COMPLETE,
        CUT if log.cut else None,
        counts,
        None,
        problems,
        log.failures,
        digest,
    )
