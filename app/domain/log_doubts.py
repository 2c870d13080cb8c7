"""What keeps a job's log that names no failed test, or few, from looking green: one wording for everybody."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from app.domain.gap import GapKind
from app.domain.joblog.job_log import JobLog
from app.domain.outcome import Errored, Failed
from app.domain.wording import counted

CUT: Final = "the middle of the log was left out"
NAMED_STEPS: Final = 3
_SUBTESTS: Final = re.compile(r"^contains (\d{1,6}) failed subtests?$", re.MULTILINE)
"""What pytest says of a test whose failed subtests it counts as failures beside it."""


class LogDoubt(NamedTuple):
    """`kind` is the gap that it makes where a job's results rest on the log."""

    kind: GapKind
    words: str


def log_doubts(log: JobLog, red: int) -> Iterator[LogDoubt]:
    """`red` counts the tests that are known to have failed, by the log or by anything else."""
    if log.cut:
        yield LogDoubt(GapKind.LOG_CUT, CUT)
    claimed = _failed_tests(log)
    if claimed > red:
        verb = "is" if red == 1 else "are"
        words = f"the log claims {counted(claimed, 'failure')}, and {red} {verb} named"
        yield LogDoubt(GapKind.RESULTS_INCOMPLETE, words)
    if log.stopped is not None:
        hint = f" ({log.stopped.cause.hint})" if log.stopped.cause.hint else ""
        yield LogDoubt(GapKind.RESULTS_INCOMPLETE, f"the runner says: {log.stopped.line.text}{hint}")
    codes = [code for code in log.exit_codes if code]
    if codes and not red:
        ended = listed_steps(log) or f"a step ended with exit code {codes[-1]}"
        words = f"{ended}, and no failed test is named"
        yield LogDoubt(GapKind.RESULTS_CONTRADICT_JOB, words)
    if log.printed and not red:
        words = f"{counted(log.printed, 'failure')} left out, since a test printed what looks like a run"
        yield LogDoubt(GapKind.RESULTS_INCOMPLETE, words)
    if log.counts is None and not red:
        words = "no summary of a test run is in it, so what its tests did is not known"
        yield LogDoubt(GapKind.NO_RESULTS_FILE, words)


def listed_steps(log: JobLog) -> str:
    """Which steps failed; empty where the log shows none by name."""
    failed = log.failed_steps
    more = f" and {counted(len(failed) - NAMED_STEPS, 'more step')}" if len(failed) > NAMED_STEPS else ""
    return ", ".join(step.words for step in failed[:NAMED_STEPS]) + more


def names_cause(log: JobLog) -> bool:
    """Whether it tells anything of why its job failed; that of a lost runner has four lines, and none do."""
    return bool(log.failures or log.errors or log.exit_codes or log.infra or log.counts)


def _failed_tests(log: JobLog) -> int:
    """How many there are at least: pytest counts one that fails, and again in its teardown, as both."""
    counts = log.counts
    return 0 if counts is None else max(counts.failed - _subtests(log), counts.errors)


def ran_in_log(log: JobLog) -> int:
    """How many tests ran at least, by the log's own summaries; errors may be of tests that passed before."""
    counts = log.counts
    return 0 if counts is None else counts.passed + counts.failed + counts.xpassed - _subtests(log)


def _subtests(log: JobLog) -> int:
    told = [result.outcome for result in log.failures]
    texts = [f"{one.message}\n{one.text}" for one in told if isinstance(one, Failed | Errored)]
    return sum(int(found[1]) for text in texts if (found := _SUBTESTS.search(text)))
