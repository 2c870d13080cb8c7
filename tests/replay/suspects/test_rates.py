"""What the probe does to the rate of an abort at exit, and that nothing is made up about stable tests."""

from pathlib import Path

import pytest
from expectations import STABLE
from replayed import INCIDENTS, Asked, replay_once

from app.domain.replay_words import Arm, CauseKind
from worker.replay.plan.intervals import Split, fisher_greater

pytestmark = [pytest.mark.accept, pytest.mark.timeout(595)]

ABORTS = "test_handoff_exit.py::test_full_state_is_exact"
EACH = 60
ARMS = (Arm.PLAIN, Arm.CPU_HALF, Arm.CPU_QUARTER, Arm.PAUSE, Arm.STORE_DELAY, Arm.SKEW)
TRIALS = 200
PARTS = 4


def two_sided(bare: int, probed: int) -> float:
    """Fisher's exact test, twice its smaller tail."""
    more, fewer = Split(bare, EACH, probed, EACH), Split(probed, EACH, bare, EACH)
    return min(1.0, 2 * min(fisher_greater(more), fisher_greater(fewer)))


def test_rates_bare_and_probed_of_an_abort_at_exit_do_not_differ(tmp_path: Path) -> None:
    failed = {True: 0, False: 0}
    for number in range(2 * EACH):
        bare = number % 2 == 0
        asked = Asked(ABORTS, project=INCIDENTS, bare=bare, seed=number)
        failed[bare] += replay_once(asked, tmp_path / str(number)).outcome.is_failure
    p = two_sided(failed[True], failed[False])
    print(f"bare {failed[True]}/{EACH}, probed {failed[False]}/{EACH}, Fisher p = {p:.3f}")  # noqa: T201
    assert p > 0.05
    assert failed[False], "a probe that hides what it looks for"


@pytest.mark.parametrize("part", range(PARTS), ids=lambda part: f"stable-{part + 1}")
def test_no_cause_is_given_to_stable_tests(part: int, tmp_path: Path) -> None:
    wrong = []
    for number in range(part, TRIALS, PARTS):
        test, arm = STABLE[number % len(STABLE)], ARMS[number // len(STABLE) % len(ARMS)]
        bare = number % 2 == 1 and arm not in {Arm.STORE_DELAY, Arm.SKEW}
        found = replay_once(Asked(test, arm, seed=number, bare=bare, timeout_s=150), tmp_path / str(number))
        if found.outcome.is_failure or found.kind is not CauseKind.NONE:
            wrong.append(f"{number}: {test} {arm} bare={bare}: {found.told}")
    print(f"{len(wrong)} of {TRIALS // PARTS} trials were given a cause or failed")  # noqa: T201
    assert not wrong
