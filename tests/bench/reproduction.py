"""Failures of timing-dependent tests for the same CPU seconds: under the replay's plan, and by repetition.

Repetition is what everybody does: pytest again and again, with nothing changed. It goes on until it has used
the CPU seconds that the plan has used on the same test. A rate of none in n is given as what it may still be
at 95 %, so that the ratio is the least that the figures allow.
"""

import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from expectations import TIMING, Expected
from measured import Row, at_least
from replayed import replay_whole

from app.domain.replay_words import Arm
from worker.replay.report import Replay

SHORT = ("t02_latency_budget", "t04_host_leaves_first", "t06_false_alarm")
BUDGET_S = 300.0
SHORT_BUDGET_S = 75.0
NONE_OF_N = 3.0
"""Failures that may have been missed at 95 % where none was seen (the rule of three)."""


@dataclass(frozen=True, slots=True)
class Tally:
    failures: int
    trials: int
    cpu_s: float

    def rate(self, *, at_most: bool = False) -> float:
        """Failures in a minute of CPU time; `at_most`: with what none may hide."""
        failures = NONE_OF_N if at_most and not self.failures else float(self.failures)
        return 60 * failures / self.cpu_s if self.cpu_s else 0.0


@dataclass(frozen=True, slots=True)
class Compared:
    expected: Expected
    planned: Tally
    repeated: Tally
    is_right: bool
    report: Replay


def measure(*, long: bool) -> list[Row]:
    suspects = [one for one in TIMING if long or one.name in SHORT]
    compared = [_compare(one, BUDGET_S if long else SHORT_BUDGET_S) for one in suspects]
    return [*map(_row, compared), *_totals(compared)]


def _compare(expected: Expected, budget_s: float) -> Compared:
    with tempfile.TemporaryDirectory(prefix="flake-triage-bench-") as folder:
        report = replay_whole(expected.asked, Path(folder, "replay"), budget_s=budget_s)
    countable = [one for one in report.trials if one.outcome.counts]
    planned = Tally(
        sum(one.outcome.is_failure for one in countable),
        len(countable),
        sum((one.usage.cpu_ns or 0) / 1e9 for one in report.trials),
    )
    findings = [one.kind for one in report.findings]
    is_right = planned.failures > 0 and not expected.complaints(report.explanation, findings)
    return Compared(expected, planned, _repeat(expected, planned.cpu_s), is_right, report)


def _repeat(expected: Expected, cpu_s: float) -> Tally:
    failures = trials = 0
    began = _children_cpu_s()
    while trials == 0 or _children_cpu_s() - began < cpu_s:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", expected.test]
        ended = subprocess.run(command, cwd=expected.project, capture_output=True, check=False)
        failures += ended.returncode != 0
        trials += 1
    return Tally(failures, trials, _children_cpu_s() - began)


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _row(one: Compared) -> Row:
    planned, repeated = one.planned, one.repeated
    arms = ", ".join(
        f"{arm.arm} {arm.bare_failures + arm.probed_failures}/{arm.bare_trials + arm.probed_trials}"
        for arm in one.report.arms
        if arm.bare_trials + arm.probed_trials
    )
    note = (
        f"{one.expected.name}: plan {planned.failures}/{planned.trials} in {planned.cpu_s:.0f} CPU s ({arms};"
        f" {one.report.verdict}, {'its' if one.is_right else 'not its'} cause),"
        f" repetition {repeated.failures}/{repeated.trials} in {repeated.cpu_s:.0f} CPU s"
    )
    floor = repeated.rate(at_most=True)
    return Row("reproduction", one.expected.name, planned.rate(), "failures/CPU min", floor=floor, note=note)


def _totals(compared: Sequence[Compared]) -> list[Row]:
    planned = _sum([one.planned for one in compared])
    repeated = _sum([one.repeated for one in compared])
    plain = sum(
        arm.bare_failures + arm.probed_failures
        for one in compared
        for arm in one.report.arms
        if arm.arm is Arm.PLAIN
    )
    note = (
        f"floor: repetition for the same CPU seconds, {repeated.failures}/{repeated.trials}, and where none"
        f" failed what may still be at 95 %; the plan's own plain trials failed {plain} times"
    )
    return [
        Row(
            "reproduction",
            "all of them",
            planned.rate(),
            "failures/CPU min",
            floor=repeated.rate(at_most=True),
            note=note,
        ),
        Row(
            "reproduction",
            f"of {len(compared)} that failed, with their own cause",
            float(sum(one.is_right for one in compared)),
            "tests",
            goal=at_least(0.9 * len(compared)),
        ),
    ]


def _sum(tallies: Sequence[Tally]) -> Tally:
    return Tally(
        sum(one.failures for one in tallies),
        sum(one.trials for one in tallies),
        sum(one.cpu_s for one in tallies),
    )
