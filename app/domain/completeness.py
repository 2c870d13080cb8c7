"""A job's report held against the job: what must have happened and is listed nowhere is a gap."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from app.domain.gap import Gap, GapKind
from app.domain.joblog.job_log import JobLog
from app.domain.log_doubts import LogDoubt, log_doubts, ran_in_log
from app.domain.results.results_file import Reading, ReadStatus
from app.domain.run import Conclusion

_NO_FILE: Final = "no results file came from this job"


@dataclass(frozen=True, slots=True)
class Report:
    """What is known of a job's tests: `files` results files were read, and list `ran` records that ran.

    `red` counts the tests that failed, by the files or by the log.
    """

    files: int
    ran: int
    red: int


def shortfall(reading: Reading) -> str | None:
    """What a results file claims of its own tests and does not list, with both numbers.

    Claims that count what a producer is known not to list are none: reruns of one test, several failures in
    one test, skipped tests (nextest, XCTest), pytest's subtests. A root may also claim twice what its suites
    do (mocha's reporter, started twice).
    """
    declared, records, counted = reading.declared, reading.records, reading.counted
    lacking = []
    failed = (declared.failures or 0) + (declared.errors or 0)
    listed = max(records.failed + records.errored, counted.red_children)
    if failed > listed + records.flaky_reruns:
        lacking.append(f"the file claims {failed} failures and lists {listed}")
    tests = declared.tests or 0
    unlisted_skips = max(0, (declared.skipped or 0) - records.skipped)
    is_doubled = counted.of_suites == records.cases and tests == 2 * records.cases
    if tests > records.cases + records.flaky_reruns + unlisted_skips and not (counted.subtests or is_doubled):
        lacking.append(f"the file claims {tests} tests and lists {records.cases}")
    return "; ".join(lacking) or None


def gaps_of_file(path: str, reading: Reading) -> Iterator[Gap]:
    if reading.status is not ReadStatus.COMPLETE:
        kind = GapKind.FILE_REFUSED if reading.status is ReadStatus.REFUSED else GapKind.FILE_PARTIAL
        yield Gap(kind, path, reading.reason or "; ".join(reading.problems[:3]))
    elif reading.doubts:
        yield Gap(GapKind.FILE_PARTIAL, path, "; ".join(reading.doubts[:3]))
    if (lacking := shortfall(reading)) is not None:
        yield Gap(GapKind.RESULTS_INCOMPLETE, path, lacking)


def gaps_of_job(job: str, conclusion: Conclusion | None, report: Report, log: JobLog | None) -> Iterator[Gap]:
    """Hold what was read against how the job ended, and against its `log` where that one was read.

    Most jobs that pass have no tests to tell of, so that a missing file is no gap there by itself.
    """
    doubts = [] if log is None else list(log_doubts(log, report.red))
    yield from _joined(job, GapKind.LOG_CUT, doubts)
    if not report.files:
        if conclusion not in {Conclusion.SUCCESS, Conclusion.SKIPPED}:
            words = [one.words for one in doubts if one.kind is not GapKind.LOG_CUT]
            yield Gap(GapKind.NO_RESULTS_FILE, job, "; ".join([_NO_FILE, *words]))
        return
    if conclusion is not None and conclusion.is_red and not report.red:
        words = [one.words for one in doubts if one.kind is GapKind.RESULTS_CONTRADICT_JOB]
        detail = "; ".join(["the job failed, and its results files name no failed test", *words])
        yield Gap(GapKind.RESULTS_CONTRADICT_JOB, job, detail)
    if conclusion is Conclusion.SUCCESS and report.red:
        detail = f"the job succeeded though {report.red} of its tests failed: it may go on after errors"
        yield Gap(GapKind.RESULTS_CONTRADICT_JOB, job, detail)
    if log is not None and (ran := ran_in_log(log)) > report.ran:
        unlisted = f"the log counts {ran} tests that ran, and the results files list {report.ran}"
        doubts.append(LogDoubt(GapKind.RESULTS_INCOMPLETE, unlisted))
    yield from _joined(job, GapKind.RESULTS_INCOMPLETE, doubts)


def _joined(job: str, kind: GapKind, doubts: Iterable[LogDoubt]) -> Iterator[Gap]:
    """One gap for all of a kind: the store keeps one of each kind and subject."""
    words = [one.words for one in doubts if one.kind is kind]
    if words:
        yield Gap(kind, job, "; ".join(words))
