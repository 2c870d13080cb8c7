"""When two failures are the same."""

from pathlib import Path

import pytest

from app.domain.replay_words import Arm, CauseKind, Outcome
from worker.replay.explain.agreement import agree
from worker.replay.limits import Held, Hold, Limits
from worker.replay.trial import Explained, Explanation, Thrown, Trial, TrialSpec

DIVERGED = Explained(
    CauseKind.RANK_DIVERGENCE,
    "s",
    rank=0,
    exception=Thrown("ValueError", "a", None, None, ()),
    place="tests/test_x.py:_plan",
)
CRASHED = Explained(
    CauseKind.CRASH_SIGNAL, "s", rank=1, signal=6, facts={"exit_code": -6, "last_words": "terminate called"}
)
UNSEEN = Explained(CauseKind.NOT_EXPLAINED, "s")


def trial(
    cause: Explained,
    *,
    signature: str | None = "S",
    bare: bool = False,
    outcome: Outcome = Outcome.FAILED,
    opaque: bool = False,
) -> Trial:
    held = Held("affinity", Hold.ABSENT, Hold.ABSENT, Hold.ABSENT, "none")
    spec = TrialSpec(1, "t", Arm.PLAIN, bare, 1, Limits(60))
    return Trial(
        spec, outcome, Path(), 1.0, held, signature=signature, opaque=opaque, explanation=Explanation(cause)
    )


def changed(cause: Explained, **changes: object) -> Explained:
    known = {name: getattr(cause, name) for name in cause.__slots__}
    return Explained(**{**known, **changes})


def test_equal_signature_and_cause_agree() -> None:
    assert agree(trial(DIVERGED), trial(DIVERGED))


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": CauseKind.LATE_RANK},
        {"rank": 1},
        {"exception": Thrown("KeyError", "a", None, None, ())},
        {"exception": None},
        {"place": "tests/test_x.py:_other"},
    ],
)
def test_any_difference_of_the_cause_parts_them(changes: dict[str, object]) -> None:
    assert not agree(trial(DIVERGED), trial(changed(DIVERGED, **changes)))


def test_message_of_the_exception_is_not_compared() -> None:
    other = changed(DIVERGED, exception=Thrown("ValueError", "b", None, None, ()))
    assert agree(trial(DIVERGED), trial(other))


@pytest.mark.parametrize("signature", ["T", None])
def test_other_signature_parts_them(signature: str | None) -> None:
    assert not agree(trial(DIVERGED), trial(DIVERGED, signature=signature))
    assert not agree(trial(DIVERGED, signature=None), trial(DIVERGED, signature=None))


def test_trial_that_was_ended_early_agrees_by_cause_alone() -> None:
    early = trial(DIVERGED, signature=None, outcome=Outcome.ENDED_EARLY)
    assert agree(early, trial(DIVERGED))
    assert agree(trial(DIVERGED), early)
    assert not agree(early, trial(changed(DIVERGED, rank=1)))


def test_early_end_without_a_cause_agrees_with_nothing() -> None:
    early = trial(UNSEEN, outcome=Outcome.ENDED_EARLY)
    assert not agree(early, trial(UNSEEN))


def test_bare_and_probed_agree_by_what_both_see() -> None:
    bare = trial(UNSEEN, bare=True)
    assert agree(bare, trial(DIVERGED))
    assert agree(trial(CRASHED, bare=True), trial(changed(CRASHED, place="tests/test_x.py:_native")))


@pytest.mark.parametrize(
    "changes",
    [
        {"signal": 11},
        {"rank": 0},
        {"facts": {"exit_code": -11}},
        {"facts": {"last_words": "free(): invalid pointer"}},
    ],
)
def test_bare_and_probed_differ_by_what_both_see(changes: dict[str, object]) -> None:
    assert not agree(trial(CRASHED, bare=True), trial(changed(CRASHED, **changes)))


def test_two_failures_that_nothing_explains_agree_by_their_signature() -> None:
    assert agree(trial(UNSEEN), trial(UNSEEN))


def test_opaque_signature_needs_something_that_was_seen() -> None:
    assert not agree(trial(UNSEEN, opaque=True), trial(UNSEEN, opaque=True))
    seen = changed(UNSEEN, rank=1, facts={"exit_code": 3})
    assert agree(trial(seen, opaque=True), trial(seen, opaque=True))
    assert not agree(trial(seen, opaque=True), trial(changed(seen, facts={"exit_code": 4}), opaque=True))


def test_passing_trial_agrees_with_nothing() -> None:
    assert not agree(trial(DIVERGED), trial(DIVERGED, outcome=Outcome.PASSED))


def test_two_trials_that_hang_are_one_failure_without_any_signature() -> None:
    hung = trial(DIVERGED, signature=None, outcome=Outcome.TIMED_OUT)
    assert agree(hung, hung)
    assert not agree(hung, trial(changed(DIVERGED, rank=1), signature=None, outcome=Outcome.TIMED_OUT))
    assert agree(hung, trial(UNSEEN, signature=None, bare=True, outcome=Outcome.TIMED_OUT))


def test_bare_failure_that_was_not_explained_is_a_probed_one_whose_workers_ended_alike() -> None:
    """It names the rank that failed, the probed one the rank that had left: these are not to be compared."""
    left = changed(DIVERGED, kind=CauseKind.EARLY_EXIT, facts={"exit_code": 0, "ended_badly": "1"})
    seen = changed(UNSEEN, rank=1, facts={"exit_code": 1, "ended_badly": "1"})
    assert agree(trial(seen, bare=True, opaque=True), trial(left, opaque=True))
    both = changed(seen, facts={"exit_code": 1, "ended_badly": "1, 1"})
    assert not agree(trial(both, bare=True, opaque=True), trial(left, opaque=True))
