"""What the probe does to the rate of an abort at exit, and that nothing is made up about stable tests."""

import json
from pathlib import Path

import pytest
from expectations import STABLE
from replayed import INCIDENTS, Asked, replay_once

from app.domain.replay_words import Arm, CauseKind
from worker.replay.plan.intervals import Split, fisher_greater

pytestmark = [pytest.mark.accept, pytest.mark.timeout(595)]

ABORTS = "test_handoff_exit.py::test_full_state_is_exact"
EACH, RATE_PARTS = 60, 3
FOLDER = Path(__file__).parents[3] / ".rates"
ARMS = (Arm.PLAIN, Arm.CPU_HALF, Arm.CPU_QUARTER, Arm.PAUSE, Arm.STORE_DELAY, Arm.SKEW)
TRIALS = 200
PARTS = 4


def two_sided(bare: int, probed: int) -> float:
    """Fisher's exact test, twice its smaller tail."""
    more, fewer = Split(bare, EACH, probed, EACH), Split(probed, EACH, bare, EACH)
    return min(1.0, 2 * min(fisher_greater(more), fisher_greater(fewer)))


@pytest.mark.parametrize("part", range(RATE_PARTS), ids=lambda part: f"rates-{part + 1}")
def test_rates_bare_and_probed_of_an_abort_at_exit_do_not_differ(part: int, tmp_path: Path) -> None:
    """Each part goes on from the one before, in the folder `.rates`; the last one judges."""
    kept = FOLDER / f"part-{part - 1}.json"
    if part and not kept.exists():
        pytest.skip(f"part {part} has not been run")
    bare_failed, probed_failed = json.loads(kept.read_text()) if part else (0, 0)
    own = EACH // RATE_PARTS
    for number in range(2 * own * part, 2 * own * (part + 1)):
        bare = number % 2 == 0
        asked = Asked(ABORTS, project=INCIDENTS, bare=bare, seed=number)
        is_failure = replay_once(asked, tmp_path / str(number)).outcome.is_failure
        bare_failed, probed_failed = (
            bare_failed + (bare and is_failure),
            probed_failed + (not bare and is_failure),
        )
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"part-{part}.json").write_text(json.dumps([bare_failed, probed_failed]))
    each = own * (part + 1)
    print(f"bare {bare_failed}/{each}, probed {probed_failed}/{each}")  # noqa: T201
    if part == RATE_PARTS - 1:
        p = two_sided(bare_failed, probed_failed)
        print(f"Fisher p = {p:.3f}")  # noqa: T201
        assert p > 0.05
        assert probed_failed, "a probe that hides what it looks for"


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
