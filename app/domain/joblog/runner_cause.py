"""What ended a job from outside of its tests, by the line in which the runner or the system says so."""

import re
from enum import StrEnum
from typing import Final, NamedTuple

from app.domain.joblog.log_lines import LogLine


class RunnerCause(StrEnum):
    """The more telling first: a cancelled operation and a kill are often only what follows from another."""

    SHUTDOWN = "shutdown"
    """The runner was told to stop: a reclaimed machine, a stopped service. Cancelling says other words."""
    LOST_RUNNER = "lost-runner"
    """GitHub did not hear from the runner any more; out of memory and a dead machine look the same."""
    DISK_FULL = "disk-full"
    """The runner's own words."""
    STEP_TIMEOUT = "step-timeout"
    """`timeout-minutes` of a step: what hung may be the test or the machine."""
    JOB_TIMEOUT = "job-timeout"
    """`timeout-minutes` of the job, or GitHub's limit; GitHub then calls the job cancelled."""
    PROGRAM_DISK_FULL = "program-disk-full"
    """A program's ENOSPC, which a full memory disk gives too, and which it may have coped with."""
    IMAGE_PULL = "image-pull"
    """A container image is missing, or its registry refuses: a wrong name in the workflow looks the same."""
    RATE_LIMIT = "rate-limit"
    """GitHub's API or a registry says that there were too many requests, in an error line of the runner."""
    DOWNLOAD = "download"
    """The runner could not fetch an action or its archive. A program's own network error is none."""
    KILLED = "killed"
    """A shell or the kernel says that a process was killed; memory is the usual reason, and is not proven."""
    CANCELLED = "cancelled"
    """By a person, a newer run of the group, or a limit that another line names."""
    EXIT_137 = "exit-137"
    """SIGKILL: it suggests that memory ran out, and does not prove it; `docker kill` does it too."""
    EXIT_143 = "exit-143"
    """SIGTERM: something asked the process to end, mostly the runner itself."""

    @property
    def hint(self) -> str:
        """What the line suggests and does not say; empty where it says it."""
        if self in {RunnerCause.KILLED, RunnerCause.EXIT_137}:
            return "memory may have run out, which this does not prove"
        return ""


class Stopped(NamedTuple):
    """`line` is the log's own, as it names the cause."""

    cause: RunnerCause
    line: LogLine


_ERROR: Final = r"##\[error\].{0,300}?"
_REGISTRY: Final = (
    r"manifest unknown|manifest for .{1,300} not found|toomanyrequests: |pull access denied for "
    r"|Docker pull failed with exit code \d"
)
_ACTION: Final = r"Failed to download (?:action|archive) |An action could not be found at the URI "
_SHELL: Final = r"(?:.{1,200}: line \d{1,7}: +\d{1,9} )?Killed(?: {2,}.{0,300})?$"
_PATTERNS: Final = (
    (RunnerCause.SHUTDOWN, r"##\[error\]The runner has received a shutdown signal"),
    (RunnerCause.LOST_RUNNER, rf"{_ERROR}lost communication with the server"),
    (RunnerCause.DISK_FULL, r"(?:##\[error\]|System\.IO\.IOException: ).{0,300}?No space left on device"),
    (RunnerCause.STEP_TIMEOUT, r"##\[error\]The action '.{0,300}' has timed out after \d{1,6} minutes"),
    (RunnerCause.JOB_TIMEOUT, r"##\[error\]The job running on runner .{0,300} has exceeded the maximum exec"),
    (RunnerCause.PROGRAM_DISK_FULL, r".{0,300}?No space left on device"),
    (RunnerCause.IMAGE_PULL, rf"(?:{_ERROR}|.{{0,40}}?)(?:{_REGISTRY})"),
    (RunnerCause.RATE_LIMIT, rf"{_ERROR}(?:rate limit exceeded|secondary rate limit|429 Too Many Requests)"),
    (RunnerCause.DOWNLOAD, rf"##\[error\](?:{_ACTION})"),
    (RunnerCause.KILLED, rf"{_SHELL}|.{{0,200}}?Out of memory: Killed process"),
    (RunnerCause.CANCELLED, r"##\[error\]The operation was canceled\."),
    (RunnerCause.EXIT_137, r"##\[error\]Process completed with exit code 137\."),
    (RunnerCause.EXIT_143, r"##\[error\]Process completed with exit code 143\."),
)
_CAUSES: Final = tuple((cause, re.compile(pattern, re.IGNORECASE)) for cause, pattern in _PATTERNS)
_RANKS: Final = {cause: rank for rank, (cause, _) in enumerate(_CAUSES)}


def cause_of(text: str) -> RunnerCause | None:
    return next((cause for cause, pattern in _CAUSES if pattern.match(text)), None)


def more_telling(known: Stopped | None, found: Stopped | None) -> Stopped | None:
    """The first of two of one kind."""
    if known is None or found is None:
        return known or found
    return found if _RANKS[found.cause] < _RANKS[known.cause] else known
