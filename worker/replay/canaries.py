"""Runs the canary of a limit, once, when the limit's first failure would be believed.

Where the suspect itself has passed under the limit, that pass has shown already what a canary can show.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.domain.replay_words import Arm, Outcome
from worker.replay.instruments import Instruments
from worker.replay.plan.arms import needs_probe
from worker.replay.plan.canary import FILE, NODE, canary_source, is_void
from worker.replay.request import Request
from worker.replay.suspect import Suspect
from worker.replay.trial import Trial, TrialSpec

FOLDER = "canary"
_SOURCE_BYTES = 1 << 20


class Canaries:
    """`void` are the arms whose canary failed."""

    def __init__(self, request: Request, instruments: Instruments) -> None:
        self._request = request
        self._instruments = instruments
        self._ran: set[Arm] = set()
        self.void: set[Arm] = set()

    def is_wanted(self, arm: Arm, trials: Sequence[Trial]) -> bool:
        mine = [trial.outcome for trial in trials if trial.spec.arm is arm]
        failed = any(outcome.is_failure for outcome in mine)
        return failed and Outcome.PASSED not in mine and arm not in self._ran

    def run(self, like: TrialSpec) -> str:
        """Run it under the limits of that trial; what came of it, as a decision's sentence."""
        arm = like.arm
        self._ran.add(arm)
        home = self._request.out / FOLDER / arm.value
        spec = replace(like, test=NODE, bare=not needs_probe(arm), ends_early=False, inject=None)
        trial = self._instruments.run_trial(spec, self._suspect(home / "project", arm), home / "trial")
        if is_void(trial.outcome):
            self.void.add(arm)
            why = trial.reason or trial.outcome
            return f"the canary failed under {arm}, though it is healthy ({why}): trials under it are void"
        if trial.outcome is Outcome.PASSED:
            return f"the canary, a healthy test of ours, passed under {arm}"
        return f"the canary could not be run under {arm} ({trial.reason or trial.outcome})"

    def voided(self, trial: Trial) -> Trial:
        if trial.spec.arm not in self.void or not trial.outcome.counts:
            return trial
        return replace(
            trial, outcome=Outcome.VOID, reason=f"a healthy test failed under {trial.spec.arm} too"
        )

    def _suspect(self, project: Path, arm: Arm) -> Suspect:
        project.mkdir(parents=True, exist_ok=True)
        source = canary_source(arm, uses_torch=self._uses_torch())
        (project / FILE).write_text(source, encoding="utf-8")
        return Suspect(NODE, project, self._request.suspect.python, isolated=self._request.suspect.isolated)

    def _uses_torch(self) -> bool:
        """Whether the test's own file speaks of torch: enough to choose the canary that meets Gloo too."""
        suspect = self._request.suspect
        file = suspect.project / suspect.test.partition("::")[0]
        try:
            with file.open("rb") as source:
                return b"torch" in source.read(_SOURCE_BYTES)
        except OSError:
            return False
