"""Explanations that grow: a failure explained before anything had passed is explained again once it has."""

from dataclasses import replace

from app.domain.replay_words import CauseKind, Outcome
from worker.replay.facts import TrialFacts
from worker.replay.instruments import Instruments
from worker.replay.plain_json import NotThatShape
from worker.replay.trial import Explained, Explanation, Trial

_MOST_PASSING = 4
"""Of bare and of probed trials each: what four passing ones do not show is not background."""

UNREADABLE = "what this trial left behind could not be read"


class Explainer:
    """Explains trials one by one, with those that passed as their background."""

    def __init__(self, instruments: Instruments) -> None:
        self._instruments = instruments
        self._passing: list[TrialFacts] = []

    def explain(self, trial: Trial) -> tuple[Trial, bool]:
        """The trial with its explanation, and whether it has become background for the failures so far."""
        if not trial.outcome.counts:
            return trial, False
        try:
            facts = self._instruments.read_facts(trial.folder)
        except (NotThatShape, OSError) as error:
            unread = Explanation(Explained(CauseKind.NOT_EXPLAINED, f"{UNREADABLE}: {error}"))
            return (replace(trial, explanation=unread) if trial.outcome.is_failure else trial), False
        explained = self._instruments.explain(facts, self._passing)
        if trial.outcome is not Outcome.PASSED:
            return replace(trial, explanation=explained), False
        harmless = replace(explained, cause=Explained(CauseKind.NONE))
        is_new = sum(one.bare == facts.bare for one in self._passing) < _MOST_PASSING
        if is_new:
            self._passing.append(facts)
        return replace(trial, explanation=harmless), is_new
