"""The closed words of a replay: its arms, outcomes, verdicts, causes and findings. Scripts read them."""

from enum import StrEnum
from typing import Final

FLAKE_FAILURES: Final = 2
"""Failures that agree, beside one pass, that make a confirmed flake."""
DETERMINISTIC_FAILURES: Final = 6
"""Failures of as many plain trials that are called deterministic."""
COUNTABLE_TRIALS: Final = 10
"""Fewer trials than this say nothing where none failed."""


class Arm(StrEnum):
    """Under what a trial ran; `plain` is nothing but the limits that the user asked for."""

    PLAIN = "plain"
    CPU_1 = "cpu-1"
    CPU_HALF = "cpu-0.5"
    CPU_QUARTER = "cpu-0.25"
    PAUSE = "pause"
    STORE_DELAY = "store-delay"
    SKEW = "skew"
    PORTS = "ports"
    MEMORY = "memory"
    NEIGHBOURS = "neighbours"


class Outcome(StrEnum):
    """How a trial ended. `no-trial` ran nothing (skipped, not collected); `void`: a canary failed there."""

    PASSED = "passed"
    FAILED = "failed"
    ENDED_EARLY = "ended-early"
    TIMED_OUT = "timed-out"
    NO_TRIAL = "no-trial"
    VOID = "void"

    @property
    def is_failure(self) -> bool:
        return self in {Outcome.FAILED, Outcome.ENDED_EARLY, Outcome.TIMED_OUT}

    @property
    def counts(self) -> bool:
        """A trial that says something of the test: neither void nor one that ran nothing."""
        return self not in {Outcome.NO_TRIAL, Outcome.VOID}


class ReplayVerdict(StrEnum):
    CONFIRMED_FLAKE = "confirmed-flake"
    REPRODUCED_ONCE = "reproduced-once"
    DETERMINISTIC = "deterministic"
    NOT_REPRODUCED = "not-reproduced"
    OTHER_FAILURE = "other-failure"
    NO_TRIAL = "no-trial"
    BUDGET_EXHAUSTED = "budget-exhausted"


class CauseKind(StrEnum):
    """Why a trial failed; the border of each is in the module of `worker/replay/explain` that finds it."""

    RANK_EXCEPTION = "rank-exception"
    RANK_DIVERGENCE = "rank-divergence"
    COLLECTIVE_MISMATCH = "collective-mismatch"
    LATE_RANK = "late-rank"
    EARLY_EXIT = "early-exit"
    INIT_FAILURE = "init-failure"
    PORT_IN_USE = "port-in-use"
    CRASH_SIGNAL = "crash-signal"
    OOM_KILL = "oom-kill"
    TERMINATED_SLOW = "terminated-slow"
    DEADLOCK = "deadlock"
    TEST_ASSERTION = "test-assertion"
    NOT_EXPLAINED = "not-explained"
    NONE = "none"


class FindingKind(StrEnum):
    """What is worth knowing beside the cause."""

    UNREAD_REPORT = "unread-report"
    REPORT_NOT_SHOWN = "report-not-shown"
    INIT_OUTSIDE_TRY = "init-outside-try"
    LEAKED_PROCESS = "leaked-process"
    LEAKED_PORT = "leaked-port"
    NOT_OBSERVED = "not-observed"
    THROTTLED = "throttled"
    PROBE_CHANGES_RATE = "probe-changes-rate"
