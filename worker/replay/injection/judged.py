"""Judges the trials of an injection from their folders alone: what came of each fault, and the grade."""

from collections.abc import Sequence
from typing import Final

from app.domain.injection import Answer, Fault, Injected, Shown, worst_of
from app.domain.replay_words import Outcome
from worker.replay.facts import TrialFacts
from worker.replay.injection.left import left_behind
from worker.replay.injection.places import ground_of
from worker.replay.injection.said import names_cause, names_rank, spoken, telling_line
from worker.replay.injection.waited import Wait, longest, waits_of
from worker.replay.observed import Observed
from worker.replay.probe import inject
from worker.replay.regular_file import read_bounded, read_tail
from worker.replay.trial import Trial
from worker.replay.trial_folder import JOURNALS, STDERR, STDOUT, read_facts, read_observed

NOT_DISTRIBUTED: Final = "not distributed: no two ranks were seen"
FAILS_ANYWAY: Final = "it fails without a fault"
_LONGER: Final = "was waiting out limits of its own: a longer --timeout tells how it ends"
_MOST_BYTES: Final = 16 << 20
_LONGEST_MESSAGE: Final = 300


def judged(trials: Sequence[Trial]) -> Injected:
    """Of all trials of one test: controls and those with a fault. Their explanations play no part."""
    controls = [one for one in trials if one.spec.inject == inject.CONTROL]
    control = next((one for one in controls if one.outcome is Outcome.PASSED), None)
    if control is None:
        return Injected((), why_not=_why_no_control(controls))
    facts = read_facts(control.folder)
    usual = _Usual(control, facts)
    by_spec: dict[str, list[Answer]] = {}
    for trial in trials:
        if trial.spec.is_injected:
            answer = _answer(trial, usual)
            by_spec.setdefault(answer.fault.spec, []).append(answer)
    ground = ground_of(facts, rank=1)
    return Injected(
        tuple(worst_of(answers) for answers in by_spec.values()),
        ranks=ground.ranks,
        passes_in_s=control.seconds,
        why_not=NOT_DISTRIBUTED if ground.ranks < 2 else "",  # noqa: PLR2004 - two make a world
    )


def fault_of(spec: str) -> Fault:
    """As the report names it."""
    asked = inject.parse(spec)
    return Fault(asked.rank, asked.at, asked.how, asked.spec, asked.text)


class _Usual:
    """What the control showed."""

    def __init__(self, control: Trial, facts: TrialFacts) -> None:
        self.seconds = control.seconds
        self.waits = tuple(waits_of(control.folder / JOURNALS, facts, ""))
        self.observed = read_observed(control.folder)


def _why_no_control(controls: Sequence[Trial]) -> str:
    ran = [one for one in controls if one.outcome.counts]
    if not ran:
        return next((one.reason for one in controls if one.reason), "it was not run")
    first = next(iter(ran[0].failure_message.splitlines()), "") or ran[0].reason
    return f"{FAILS_ANYWAY}: {first[:_LONGEST_MESSAGE]}" if first else FAILS_ANYWAY


def _answer(trial: Trial, usual: _Usual) -> Answer:
    assert trial.spec.inject is not None
    fault = fault_of(trial.spec.inject)
    if not trial.outcome.counts:
        return Answer(fault, Shown.NO_TRIAL, reason=trial.reason, trial=trial.spec.number)
    if next((trial.folder / JOURNALS).glob(f"*{inject.MARK}"), None) is None:
        return Answer(fault, Shown.NOT_REACHED, seconds=trial.seconds, trial=trial.spec.number)
    # Where pytest's own process died, the message is ours: CI would show none.
    said = "" if trial.reason else spoken(trial.failure_message, trial.failure_text)
    wait = _waited(trial, usual, said)
    shown = _shown(trial, fault, said)
    reason = trial.reason
    if shown is Shown.NO_END and wait is not None:
        shown, reason = Shown.CUT_SHORT, f"{reason}, and {_LONGER}"
    return Answer(
        fault,
        shown,
        names_rank=names_rank(said, fault),
        names_cause=names_cause(said, fault),
        message=telling_line(said, fault)[:_LONGEST_MESSAGE],
        reason=reason,
        seconds=trial.seconds,
        extra_s=max(0.0, trial.seconds - usual.seconds),
        waited=wait.words if wait is not None else "",
        left=_left(read_observed(trial.folder), usual.observed),
        trial=trial.spec.number,
    )


def _shown(trial: Trial, fault: Fault, said: str) -> Shown:
    if trial.outcome is Outcome.TIMED_OUT:
        return Shown.NO_END
    if not trial.outcome.is_failure:
        return Shown.PASSED
    if names_cause(said, fault):
        return Shown.FAILURE
    printed = (
        read_tail(trial.folder / STDOUT, _MOST_BYTES),
        read_bounded(trial.folder / STDERR, _MOST_BYTES),
    )
    for one in printed:
        text = one.decode("utf-8", "replace")
        if names_cause(text if fault.how == inject.RAISE else spoken("", text), fault):
            return Shown.OUTPUT
    return Shown.NOWHERE


def _waited(trial: Trial, usual: _Usual, said: str) -> Wait | None:
    facts = read_facts(trial.folder)
    return longest(waits_of(trial.folder / JOURNALS, facts, said), usual.waits)


def _left(observed: Observed, control: Observed) -> tuple[str, ...]:
    """Of a test that was ended by us everything would be left, and nothing is told."""
    return () if observed.timed_out else left_behind(observed, control)
