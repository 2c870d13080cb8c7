"""A small project of ours, and one trial of one of its tests: how the tests of trials start them."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.domain.replay_words import Arm
from worker.replay.facts import TrialFacts
from worker.replay.limits import Limits
from worker.replay.observed import Naming
from worker.replay.suspect import Suspect
from worker.replay.trial import Perturbation, Trial, TrialSpec
from worker.replay.trial_folder import read_facts
from worker.replay.trials import run_trial

NO_PERTURBATION = Perturbation()


@dataclass(frozen=True)
class Shown:
    """A trial with all that it left."""

    trial: Trial
    facts: TrialFacts

    @property
    def stdout(self) -> bytes:
        return (self.trial.folder / "stdout.txt").read_bytes()


@dataclass(frozen=True)
class Project:
    """A folder with tests, written as text, and the place for its trials."""

    folder: Path
    trials: Path

    def write(self, text: str, name: str = "test_it.py") -> None:
        (self.folder / name).write_text(text)

    def run(
        self,
        test: str,
        *,
        bare: bool = True,
        isolated: bool = False,
        timeout_s: float = 30.0,
        limits: Limits | None = None,
        seed: int = 1,
        perturbation: Perturbation = NO_PERTURBATION,
        ends_early: bool = True,
        on_event: Callable[[Naming], None] | None = None,
    ) -> Shown:
        number = len(list(self.trials.iterdir()))
        spec = TrialSpec(
            number,
            test,
            Arm.PLAIN,
            bare,
            seed,
            limits or Limits(timeout_s=timeout_s),
            perturbation,
            ends_early=ends_early,
        )
        suspect = Suspect(test, self.folder, Path(sys.executable), isolated=isolated)
        trial = run_trial(spec, suspect, self.trials / f"trial-{number}", on_event=on_event)
        return Shown(trial, read_facts(trial.folder))


def living_with(mark: str) -> list[str]:
    """Command lines of living processes that hold a text which only the asking test has used."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if mark in words:
            found.append(words)
    return found


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)
