"""Every suspect under the full plan: its verdict, its cause, and no other cause in any of its trials.

`make accept ONLY=replay-suspects-N` runs the N-th part of them.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest
from expectations import BY_FORK, BY_SPAWN, INCIDENTS_FLAKES, INCIDENTS_SHAPES, TIMING, Expected
from replayed import lines_of, replay_whole

from app.domain.replay_words import Arm, CauseKind, Outcome, ReplayVerdict
from worker.replay.report import Replay
from worker.replay.trial import Trial

pytestmark = [pytest.mark.accept, pytest.mark.timeout(580)]

BUDGET_S = 300.0
UNKNOWN = {CauseKind.NONE, CauseKind.NOT_EXPLAINED}


def parts(suspects: Sequence[Expected], *, first: int, each: int) -> list[object]:
    """Parts of less than ten minutes, numbered from `first` on."""
    return [pytest.param(one, id=f"part-{first + at // each}-{one.name}") for at, one in enumerate(suspects)]


def wrong_causes(expected: Expected, report: Replay) -> list[str]:
    """Causes of single trials that are not the expected one; not knowing is none.

    All suspects find their port free and bind it later, so the arm that takes ports may take theirs: a true
    cause of a second failure.
    """
    known = UNKNOWN | set(expected.kinds)
    return [
        f"trial {one.spec.number} ({'bare' if one.spec.bare else 'probed'}, {one.spec.arm}):"
        f" {one.explanation.cause.kind}: {one.explanation.cause.sentence}"
        for one in report.trials
        if one.outcome.is_failure and one.explanation.cause.kind not in known and not _has_lost_its_port(one)
    ]


def _has_lost_its_port(trial: Trial) -> bool:
    cause = trial.explanation.cause
    is_taken = cause.kind is CauseKind.PORT_IN_USE and "address already in use" in cause.sentence.lower()
    return trial.spec.arm is Arm.PORTS and is_taken


def complaints(expected: Expected, report: Replay, verdict: ReplayVerdict) -> list[str]:
    findings = {one.kind for one in report.findings}
    found = [*expected.complaints(report.explanation, findings), *wrong_causes(expected, report)]
    if report.verdict is not verdict:
        found.append(f"verdict {report.verdict}, not {verdict}")
    if not all(one.cleanup.is_clean for one in report.trials):
        found.append("something was left behind")
    return found


@pytest.mark.parametrize(
    "expected",
    [
        *parts(BY_FORK, first=1, each=8),
        *parts(BY_SPAWN, first=3, each=5),
        *parts(INCIDENTS_SHAPES, first=11, each=3),
    ],
)
def test_suspect_is_deterministic_and_its_cause_is_told(expected: Expected, tmp_path: Path) -> None:
    report = replay_whole(expected.asked, tmp_path / "replay", budget_s=BUDGET_S)
    print(lines_of(report))  # noqa: T201 - shown with -rP
    assert not complaints(expected, report, ReplayVerdict.DETERMINISTIC)


@pytest.mark.parametrize(
    "expected", [*parts(TIMING, first=6, each=2), *parts(INCIDENTS_FLAKES, first=12, each=2)]
)
def test_flake_is_confirmed_and_its_cause_is_told(expected: Expected, tmp_path: Path) -> None:
    report = replay_whole(expected.asked, tmp_path / "replay", budget_s=BUDGET_S)
    print(lines_of(report))  # noqa: T201 - shown with -rP
    assert not complaints(expected, report, ReplayVerdict.CONFIRMED_FLAKE)
    assert any(one.outcome is Outcome.PASSED for one in report.trials)
