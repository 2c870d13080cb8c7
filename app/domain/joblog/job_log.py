"""A job's log read once: what was checked out, how its steps ended, and which tests it names as failed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from app.domain.checkout import Checkout, CheckoutFinder
from app.domain.joblog.job_steps import Step, StepStarts, steps_of
from app.domain.joblog.log_lines import LIMIT_BYTES, LogLine, LogText
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.runner_cause import RunnerCause, Stopped
from app.domain.joblog.runner_lines import RunnerLines
from app.domain.joblog.runs_of_log import RunsOfLog
from app.domain.outcome import Result

__all__ = ["JobLog", "RunCounts", "read_job_log"]


@dataclass(frozen=True, slots=True)
class JobLog:
    """`errors` holds at most 50 lines marked as errors; `stopped` is what ended the job from
    outside of its tests.

    `told` are the failed tests with the ids that the log prints; `printed` counts failures that were left out
    because a test printed them. `cut`: something was left out, so an absence proves nothing. Markers in a log
    can be printed by the code under test: everything here is what the log claims.
    """

    checkouts: tuple[Checkout, ...]
    steps: tuple[Step, ...]
    exit_codes: tuple[int, ...]
    errors: tuple[LogLine, ...]
    told: tuple[ToldFailure, ...]
    counts: RunCounts | None
    stopped: Stopped | None
    cut: bool
    lines: int
    printed: int = 0

    @property
    def failures(self) -> tuple[Result, ...]:
        return tuple(failure.result for failure in self.told)

    @property
    def failed_steps(self) -> tuple[Step, ...]:
        """Those that ended with an exit code but 0; a workflow may let a job go on after one."""
        return tuple(step for step in self.steps if step.has_failed)

    @property
    def infra(self) -> str | None:
        """The line that tells what ended the job from outside of its tests."""
        return None if self.stopped is None else self.stopped.line.text

    @property
    def ran_out_of_time(self) -> bool:
        """Whether the runner says that it ended the job for that; GitHub then calls the job cancelled."""
        return self.stopped is not None and self.stopped.cause is RunnerCause.JOB_TIMEOUT


def read_job_log(
    stream: BinaryIO, *, limit_bytes: int = LIMIT_BYTES, also: Callable[[LogLine], None] | None = None
) -> JobLog:
    """Read a log to its end; of one over the limit, the first quarter and the last three are kept.

    `also` is given every line too, for whoever looks for something else in the same pass.
    """
    log = LogText(stream, limit_bytes)
    checkouts, runs, runner = CheckoutFinder(), RunsOfLog(), RunnerLines()
    starts = StepStarts()
    for line in log:
        if also is not None:
            also(line)
        checkouts.feed(line.text)
        starts.feed(line)
        runs.feed(line)
        runner.feed(line, in_run=runs.in_run)
    told = runs.failures()
    named = log.columns.starts() if log.columns is not None else []
    return JobLog(
        checkouts=checkouts.checkouts(),
        steps=steps_of(named or starts.end(), runner.exits, log.lines),
        exit_codes=tuple(code for _, code in runner.exits),
        errors=tuple(runner.errors),
        told=told,
        counts=runs.counts,
        stopped=runner.stopped,
        cut=log.cut or runs.cut,
        lines=log.lines,
        printed=runs.printed,
    )
