"""Folders of trials of an injection, written by hand as an engine leaves them: two ranks that said so."""

import json
from pathlib import Path

from app.domain.replay_words import Arm, Outcome
from worker.replay.limits import Held, Hold, Limits
from worker.replay.observed import Observed
from worker.replay.probe.inject import CONTROL
from worker.replay.trial import Trial, TrialSpec
from worker.replay.trial_folder import JOURNALS, write_observed, write_trial

HELD = Held("none", Hold.ABSENT, Hold.ABSENT, Hold.ABSENT, "none")
SPEC = "rank=1,at=init,how=raise,raise=RuntimeError:OURS"


def made(
    folder: Path, number: int, outcome: Outcome, inject: str = SPEC, *, reached: bool = True, ranks: int = 2
) -> Trial:
    """A mark stands where the fault was reached; the trial took two seconds times its number."""
    test, limits = "test_it.py::test_it", Limits(timeout_s=9)
    spec = TrialSpec(number, test, Arm.PLAIN, bare=False, seed=1, limits=limits, inject=inject)
    return filled(spec, folder / f"{number:03d}", outcome, 2.0 * number, reached=reached, ranks=ranks)


def filled(
    spec: TrialSpec, home: Path, outcome: Outcome, seconds: float, *, reached: bool = True, ranks: int = 2
) -> Trial:
    journals = home / JOURNALS
    journals.mkdir(parents=True)
    for rank in range(ranks):
        told = {
            "k": "process",
            "t": 1,
            "argv": ["python"],
            "rank": rank,
            "world": ranks,
            "rank_source": "init",
        }
        (journals / f"{7 + rank}.jsonl").write_text(json.dumps(told) + "\n")
    if reached and spec.inject != CONTROL:
        (journals / "8.injected").write_text("{}")
    trial = Trial(spec, outcome, home, seconds, HELD)
    write_observed(home, Observed(0, 1, main=5, timed_out=outcome is Outcome.TIMED_OUT))
    write_trial(trial)
    return trial
