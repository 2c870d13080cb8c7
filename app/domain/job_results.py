"""The results of one job from all its sources: results files first, its log where they fall short."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.domain.completeness import Report, gaps_of_file, gaps_of_job
from app.domain.explaining.explanation import Explanation
from app.domain.gap import Gap, GapKind
from app.domain.generic import NO_EVIDENCE, NO_TEST_NAMED
from app.domain.joblog.job_log import JobLog
from app.domain.log_doubts import listed_steps, names_cause
from app.domain.outcome import Failed, OutcomeKind, Result, TestId
from app.domain.results.results_file import Reading, ReadStatus
from app.domain.run import Conclusion

_SEVERITY = {OutcomeKind.SKIPPED: 0, OutcomeKind.PASSED: 1, OutcomeKind.FAILED: 2, OutcomeKind.ERRORED: 3}

QUOTED_LINES = 20
"""Error lines of a log that make up the text of a failure without a test."""


@dataclass(frozen=True, slots=True)
class JobResults:
    """`untold` is the failure of a red job in which no test is known to have failed.

    `has_file` says whether a results file was taken, whatever it held.
    """

    results: tuple[Result, ...]
    untold: Failed | None
    gaps: tuple[Gap, ...]
    has_file: bool = False


def gather_results(
    job: str,
    conclusion: Conclusion | None,
    readings: Iterable[tuple[str, Reading]],
    log: JobLog | None,
    noted: str = "",
    why: Explanation | None = None,
) -> JobResults:
    """Put together what a job's files and its log say, and hold it against its conclusion.

    `readings` are the files by path, in a fixed order; each is let go once it has been added. `noted` is what
    GitHub notes at the job beside its log (`annotation.cause_noted`), `why` the explanation of its log.
    """
    ledger = _Ledger()
    for path, reading in readings:
        ledger.add_file(path, reading)
    is_red = conclusion is not None and conclusion.is_red
    read_log = log if is_red else None
    if read_log is not None:
        ledger.add_log(read_log)
    report = ledger.report()
    untold = _untold(log, noted, why) if is_red and not report.red else None
    gaps = [*ledger.gaps, *gaps_of_job(job, conclusion, report, read_log)]
    results = tuple(ledger.results[test] for test in sorted(ledger.results))
    return JobResults(results, untold, tuple(gaps), ledger.has_file)


class _Ledger:
    def __init__(self) -> None:
        self.results: dict[TestId, Result] = {}
        self.gaps: list[Gap] = []
        self._by_name: dict[tuple[str, str], TestId] = {}
        self._files = self._ran = 0
        self.has_file = False

    def report(self) -> Report:
        red = sum(1 for result in self.results.values() if result.outcome.kind.is_red)
        return Report(self._files, self._ran, red)

    def add_file(self, path: str, reading: Reading) -> None:
        self._files += 1
        self.has_file = self.has_file or reading.status is not ReadStatus.REFUSED
        self._ran += reading.records.cases - reading.records.skipped
        self.gaps += gaps_of_file(path, reading)
        for result in reading.results:
            known = self.results.get(result.test)
            if known is None or _severity(result) > _severity(known):
                self._put(result)
            if known is not None and known.outcome.kind.is_red is not result.outcome.kind.is_red:
                self.gaps.append(_collision(path, result, known))

    def add_log(self, log: JobLog) -> None:
        """A failure that only the log tells is taken from it; a test is the same by class and name.

        The log says nothing of the `file` that some results files carry, so it cannot be compared.
        """
        had_results = bool(self.results)
        for told in log.failures:
            test = self._by_name.get((told.test.classname, told.test.name), told.test)
            known = self.results.get(test)
            if known is not None and known.outcome.kind.is_red:
                continue
            self._put(Result(test=test, outcome=told.outcome, path=told.path, line=told.line))
            if had_results:
                detail = "the job's log says that it failed, and no results file does"
                self.gaps.append(Gap(GapKind.RESULTS_CONTRADICT_JOB, test.label, detail))

    def _put(self, result: Result) -> None:
        self.results[result.test] = result
        self._by_name[(result.test.classname, result.test.name)] = result.test


def _severity(result: Result) -> int:
    return _SEVERITY[result.outcome.kind]


def _collision(path: str, result: Result, known: Result) -> Gap:
    outcomes = " and ".join(sorted({result.outcome.kind.value, known.outcome.kind.value}))
    return Gap(
        GapKind.TEST_COLLISION, result.test.label, f"{outcomes} in one job (last in {path}): counted red"
    )


def _untold(log: JobLog | None, noted: str, why: Explanation | None) -> Failed:
    """A lost runner's log names no cause, and no test is to blame for what is noted beside it.

    Else the line that a person would quote is the message, so that jobs with one cause form one group.
    """
    if noted and (log is None or not names_cause(log)):
        return Failed(message=noted.partition("\n")[0], text=noted)
    if log is None:
        return Failed(message=NO_EVIDENCE, text="")
    lines = [line.text for line in log.errors[-QUOTED_LINES:]]
    message = log.infra or (lines[-1] if lines else NO_TEST_NAMED)
    if log.infra is None and why is not None and why.is_cause and why.key is not None:
        message = why.key.text
        lines = [message, *lines]
    steps = listed_steps(log)
    return Failed(message=message, text="\n".join([steps, *lines] if steps else lines), cut=log.cut)
