"""What the engine works with: who runs a trial, reads it, explains it, and tells the time."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from worker.replay.calibration import Calibration, calibrate
from worker.replay.explain.agreement import agree
from worker.replay.explain.explain import explain
from worker.replay.facts import TrialFacts
from worker.replay.observed import Naming
from worker.replay.plan.modes import Agrees
from worker.replay.suspect import Suspect
from worker.replay.trial import Explanation, Trial, TrialSpec
from worker.replay.trial_folder import read_facts
from worker.replay.trials import run_trial


class RunsTrials(Protocol):
    def __call__(
        self,
        spec: TrialSpec,
        suspect: Suspect,
        folder: Path,
        *,
        on_event: Callable[[Naming], None] | None = None,
    ) -> Trial: ...


class Explains(Protocol):
    def __call__(self, facts: TrialFacts, passing: Sequence[TrialFacts] = ()) -> Explanation: ...


@dataclass(frozen=True, slots=True)
class Instruments:
    """`now` is in seconds of a clock that never goes back."""

    run_trial: RunsTrials = run_trial
    read_facts: Callable[[Path], TrialFacts] = read_facts
    explain: Explains = explain
    agrees: Agrees = agree
    calibrate: Callable[[], Calibration] = calibrate
    now: Callable[[], float] = time.monotonic
