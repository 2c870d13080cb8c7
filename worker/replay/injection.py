"""Does a test show what its ranks say? A fault of ours is raised in one; this looks where it can be read."""

from dataclasses import dataclass
from enum import StrEnum

from worker.replay.probe.inject import MARK, Fault
from worker.replay.regular_file import read_bounded, read_tail
from worker.replay.trial import Trial
from worker.replay.trial_folder import JOURNALS, STDERR, STDOUT

_MOST_BYTES = 16 << 20


class Shown(StrEnum):
    """Where the fault's text can be read by who sees the test fail in CI."""

    FAILURE = "failure"  # in the failure itself, which results files and summaries hold
    OUTPUT = "output"  # only in what pytest captured and prints beside it
    NOWHERE = "nowhere"  # the test failed and hides why
    PASSED = "passed"  # the test passed although a rank had failed
    NOT_REACHED = "not-reached"  # the fault was never raised: there is no such rank or place
    NO_TRIAL = "no-trial"  # the test was not run

    @property
    def is_opaque(self) -> bool:
        return self in {Shown.OUTPUT, Shown.NOWHERE, Shown.PASSED}


@dataclass(frozen=True, slots=True)
class Injected:
    fault: Fault
    shown: Shown

    def as_json(self) -> dict[str, object]:
        return {
            "spec": self.fault.spec,
            "text": self.fault.text,
            "shown": self.shown.value,
            "opaque": self.shown.is_opaque,
        }

    @property
    def sentence(self) -> str:
        """What came of it, for a person."""
        said = f"{self.fault.type}: {self.fault.text} of rank {self.fault.rank}"
        return {
            Shown.FAILURE: f"the failure shows {said}",
            Shown.OUTPUT: f"opaque: the failure does not show {said}; only the captured output has it",
            Shown.NOWHERE: f"opaque: {said} is shown nowhere",
            Shown.PASSED: f"opaque: it passes in spite of {said}",
            Shown.NOT_REACHED: f"not reached: rank {self.fault.rank} was never seen there",
            Shown.NO_TRIAL: "it was not run",
        }[self.shown]


def look(fault: Fault, trial: Trial) -> Injected:
    """Judge a trial that carried the fault, from its results and its output."""
    return Injected(fault, _shown(fault, trial))


def _shown(fault: Fault, trial: Trial) -> Shown:
    if not trial.outcome.counts:
        return Shown.NO_TRIAL
    if next((trial.folder / JOURNALS).glob(f"*{MARK}"), None) is None:
        return Shown.NOT_REACHED
    if not trial.outcome.is_failure:
        return Shown.PASSED
    if fault.text in trial.failure_message or fault.text in trial.failure_text:
        return Shown.FAILURE
    text = fault.text.encode()
    printed = read_tail(trial.folder / STDOUT, _MOST_BYTES), read_bounded(trial.folder / STDERR, _MOST_BYTES)
    return Shown.OUTPUT if any(text in one for one in printed) else Shown.NOWHERE
