"""Judges a bundle again, from its journals alone: what was explained and concluded then is not looked at."""

from dataclasses import replace
from pathlib import Path

from app.domain.errors import Rejected
from app.domain.replay_words import CauseKind, Outcome
from worker.replay.bundle import layout
from worker.replay.explaining import Explainer
from worker.replay.injection.judged import judged
from worker.replay.instruments import Instruments
from worker.replay.plain_json import NotThatShape, from_plain
from worker.replay.plan.conclusion import Asked, conclude
from worker.replay.plan.modes import reference_of
from worker.replay.plan.policy import PlanPolicy
from worker.replay.report import Replay
from worker.replay.suspect import Suspect
from worker.replay.trial import Trial
from worker.replay.trial_folder import read_trial


def read_suspect(bundle: Path) -> Suspect:
    """Rejected where the bundle's record of it is damaged."""
    try:
        return from_plain(Suspect, layout.read_json(bundle / layout.SUSPECT))
    except NotThatShape as error:
        raise Rejected(str(bundle), f"its {layout.SUSPECT} is damaged: {error}") from error


def rejudge(bundle: Path) -> Replay:
    """The replay as its trials' journals tell it today. Rejected where a record is missing or damaged.

    Of the plan only what no journal holds is taken: the question's seed, the policy, the decisions in words,
    and which trials a canary or the end of the budget made void.
    """
    plan = _Plan(bundle)
    suspect = read_suspect(bundle)
    try:
        trials = [read_trial(folder) for folder in layout.trial_folders(bundle)]
    except NotThatShape as error:
        raise Rejected(str(bundle), f"a trial's record is damaged: {error}") from error
    explained = explain_all([plan.cut(one) for one in trials])
    asked = Asked(
        test=suspect.test,
        reference=reference_of(suspect.original, suspect.expected_signature),
        seed=plan.seed,
        decisions=plan.decisions,
        policy=plan.policy,
        told=plan.told,
    )
    instruments = Instruments()
    found = [plan.voided(one) for one in explained]
    again = conclude(asked, found, instruments.agrees)
    is_injection = any(one.spec.inject is not None for one in found)
    return replace(again, injected=judged(found)) if is_injection else again


def explain_all(trials: list[Trial]) -> list[Trial]:
    """As the engine does it: a failure is explained again once more has passed."""
    explainer = Explainer(Instruments())
    found: list[Trial] = []
    for trial in trials:
        explained, is_background = explainer.explain(trial)
        found.append(explained)
        if is_background:
            found = [explainer.explain(one)[0] if one.outcome.is_failure else one for one in found]
    return found


class _Plan:
    """What `plan.json` adds to the journals."""

    def __init__(self, bundle: Path) -> None:
        plain = layout.read_json(bundle / layout.PLAN)
        try:
            assert isinstance(plain, dict)
            self.seed = int(plain["question"]["seed"])
            self.decisions = tuple(str(one["why"]) for one in plain["decisions"])
            numbers = {name: value for name, value in plain["policy"].items() if name != "beliefs"}
            self.policy = from_plain(PlanPolicy, numbers)
            self.told = {"calibration": plain["calibration"]}
            void = [one for one in plain["trials"] if one["outcome"] == Outcome.VOID.value]
            self._void = {int(one["number"]): (str(one["reason"]), str(one["cause"])) for one in void}
        except (AssertionError, ArithmeticError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise Rejected(str(bundle), f"its {layout.PLAN} is damaged: {error!r}") from error

    def cut(self, trial: Trial) -> Trial:
        """Void before it was explained: the budget had ended."""
        reason, cause = self._void.get(trial.spec.number, ("", ""))
        return replace(trial, outcome=Outcome.VOID, reason=reason) if cause == CauseKind.NONE.value else trial

    def voided(self, trial: Trial) -> Trial:
        """Void afterwards: the canary of its limit had failed."""
        reason, cause = self._void.get(trial.spec.number, ("", ""))
        return replace(trial, outcome=Outcome.VOID, reason=reason) if cause else trial
