"""Which failures are one failure, and which of them the replay is about."""

from dataclasses import replace

import pytest
from replay_fakes import BREAKS, COMES_LATE, PASSES, SKIPS, by_signature_and_kind, cause_of, made_trial

from app.domain.replay_words import CauseKind, Outcome
from worker.replay.explain.agreement import agree
from worker.replay.plan.contradiction import contradicts
from worker.replay.plan.modes import Reference, find_modes, reference_of, rows_of
from worker.replay.plan.rows import Result
from worker.replay.suspect import Original
from worker.replay.trial import Explanation, Trial

ANY = Reference()


def _numbers(group: tuple[Trial, ...]) -> list[int]:
    return [trial.spec.number for trial in group]


def test_failures_that_agree_are_one_mode() -> None:
    ends = (BREAKS, PASSES, COMES_LATE, BREAKS)
    trials = [made_trial(number, one) for number, one in enumerate(ends, 1)]
    modes = find_modes(trials, ANY, by_signature_and_kind)
    assert [_numbers(group) for group in modes.groups] == [[1, 4], [3]]
    assert _numbers(modes.failures) == [1, 4]


def test_a_mode_needs_agreement_of_all_its_members() -> None:
    """A bare trial agrees with two probed ones that differ; they do not become one failure."""
    bare, one, other = (made_trial(n, ends) for n, ends in enumerate((BREAKS, BREAKS, COMES_LATE), 1))

    def agrees(a: Trial, b: Trial) -> bool:
        return 1 in {a.spec.number, b.spec.number}

    modes = find_modes([bare, one, other], ANY, agrees)
    assert [_numbers(group) for group in modes.groups] == [[1, 2], [3]]


def test_first_failure_is_the_reference_until_another_repeats() -> None:
    first, second, third = made_trial(1, BREAKS), made_trial(2, COMES_LATE), made_trial(3, COMES_LATE)
    assert _numbers(find_modes([first, second], ANY, by_signature_and_kind).failures) == [1]
    assert _numbers(find_modes([first, second, third], ANY, by_signature_and_kind).failures) == [2, 3]


def test_an_expected_signature_leaves_all_others_out() -> None:
    trials = [made_trial(1, BREAKS), made_trial(2, BREAKS), made_trial(3, COMES_LATE)]
    modes = find_modes(trials, reference_of(None, "sig-late"), by_signature_and_kind)
    assert _numbers(modes.failures) == [3]
    assert find_modes(trials, reference_of(None, "sig-none"), by_signature_and_kind).chosen is None


def test_a_mode_with_one_member_of_the_signature_has_it_whole() -> None:
    """Trials that were ended early have no signature, and agree by cause."""
    ended = made_trial(2, replace(BREAKS, outcome=Outcome.ENDED_EARLY, signature=None))
    trials = [made_trial(1, BREAKS), ended]
    modes = find_modes(trials, reference_of(None, "sig-broke"), lambda _a, _b: True)
    assert _numbers(modes.failures) == [1, 2]


def test_bare_and_ended_early_are_one_failure_once_a_trial_has_both_signature_and_cause() -> None:
    unseen = replace(BREAKS, cause=cause_of(CauseKind.NOT_EXPLAINED))
    bare = made_trial(1, unseen)
    early = made_trial(2, replace(BREAKS, outcome=Outcome.ENDED_EARLY, signature=None), bare=False)
    whole = made_trial(3, BREAKS, bare=False)

    def agrees(a: Trial, b: Trial) -> bool:
        return a.signature == b.signature or a.explanation == b.explanation

    apart = find_modes([bare, early], ANY, agrees)
    assert [_numbers(group) for group in apart.groups] == [[1], [2]]
    linked = find_modes([bare, early, whole], ANY, agrees)
    assert [_numbers(group) for group in linked.groups] == [[1, 2, 3]]


def test_an_opaque_original_gives_no_signature_to_match() -> None:
    opaque = Original("assert False", "assert False", signature="sig-opaque", opaque=True)
    assert reference_of(opaque, None).signature is None
    assert reference_of(opaque, "sig-named").signature == "sig-named"
    assert reference_of(replace(opaque, opaque=False), None).signature == "sig-opaque"
    assert reference_of(None, None) == ANY


def test_rows_say_what_counts() -> None:
    ends = (BREAKS, PASSES, COMES_LATE, SKIPS, replace(SKIPS, outcome=Outcome.VOID))
    trials = [made_trial(number, one) for number, one in enumerate(ends, 1)]
    rows = rows_of(trials, find_modes(trials, ANY, by_signature_and_kind))
    assert [row.result for row in rows] == [
        Result.FAILED,
        Result.PASSED,
        Result.OTHER,
        Result.NOTHING,
        Result.VOID,
    ]


def _died(signal: int | None) -> Trial:
    trial = made_trial(1, BREAKS)
    cause = replace(cause_of(CauseKind.CRASH_SIGNAL, 1), signal=signal)
    return replace(trial, explanation=Explanation(cause))


@pytest.mark.parametrize(
    ("text", "signal", "differs"),
    [
        ("worker died of SIGSEGV", 6, True),
        ("worker died of SIGSEGV", 11, False),
        ("exitcode: -6", 11, True),
        ("exitcode: -6", 6, False),
        ("exitcode: 1", 11, False),
        ("nothing told", 11, False),
        ("worker died of SIGSEGV", None, False),
    ],
)
def test_a_signal_contradicts_only_another_signal(text: str, signal: int | None, *, differs: bool) -> None:
    assert contradicts(Original("", text, opaque=True), _died(signal)) is differs


@pytest.mark.parametrize(
    ("original_s", "trial_s", "differs"),
    [(180.0, 4.0, True), (4.0, 180.0, True), (20.0, 4.0, False), (1.0, 15.0, False), (None, 4.0, False)],
)
def test_a_duration_contradicts_only_a_far_other_one(
    original_s: float | None, trial_s: float, *, differs: bool
) -> None:
    original = Original("", "", opaque=True, seconds=original_s)
    assert contradicts(original, made_trial(1, replace(BREAKS, seconds=trial_s))) is differs


def test_a_trial_that_we_ended_early_is_short_without_contradicting() -> None:
    ended = made_trial(1, replace(BREAKS, outcome=Outcome.ENDED_EARLY, seconds=4))
    assert not contradicts(Original("", "", opaque=True, seconds=180.0), ended)


def test_ranks_of_the_log_contradict_an_exception_of_another_rank() -> None:
    log = "[rank0]: Traceback (most recent call last):\n[rank0]: ValueError: no"
    assert contradicts(Original("", log, opaque=True), made_trial(1, BREAKS))
    assert not contradicts(Original("", log.replace("rank0", "rank1"), opaque=True), made_trial(1, BREAKS))


def test_a_contradicting_failure_is_not_the_original() -> None:
    original = Original("assert False", "exitcode: -6", opaque=True)
    trials = [_died(11), replace(_died(6), signature="sig-six")]
    modes = find_modes(trials, reference_of(original, None), by_signature_and_kind)
    assert modes.failures == (trials[1],)


def test_two_trials_that_hang_are_one_failure_though_neither_left_results_to_sign() -> None:
    hangs = replace(BREAKS, outcome=Outcome.TIMED_OUT, signature=None)
    unseen = replace(hangs, cause=cause_of(CauseKind.NOT_EXPLAINED))
    deadlock = replace(hangs, cause=cause_of(CauseKind.DEADLOCK, 0))
    assert agree(made_trial(1, unseen), made_trial(2, unseen))
    assert agree(made_trial(1, unseen), made_trial(2, deadlock, bare=False))
    assert not agree(made_trial(1, hangs), made_trial(2, deadlock))
    assert not agree(made_trial(1, unseen), made_trial(2, BREAKS))
