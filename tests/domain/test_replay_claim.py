"""A replay's report is read as a claim: whole and borne out by its own trials, or refused with a reason."""

import json
from contextlib import suppress
from typing import Any

import pytest
from fixtures_bundle import SENTENCE, TEST, report
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import Rejected
from app.domain.replay_claim import MOST_TRIALS, ReplayClaim, is_own_word, read_claim
from app.domain.replay_words import Arm, CauseKind, ReplayVerdict

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def claim(**changes: Any) -> ReplayClaim:
    return read_claim(report(**changes), test=TEST)


def refusal(told: object, test: str = TEST) -> str:
    with pytest.raises(Rejected) as caught:
        read_claim(told, test=test)
    return caught.value.reason


def test_a_report_is_read_with_cause_counts_and_limits() -> None:
    found = claim()
    assert (found.test, found.verdict, found.cause) == (
        TEST,
        ReplayVerdict.CONFIRMED_FLAKE,
        CauseKind.RANK_EXCEPTION,
    )
    assert (found.rank, found.cause_sentence) == (1, SENTENCE)
    assert found.exception == "RuntimeError: lost the lease"
    assert (found.failures, found.trials, found.rate_low, found.rate_high) == (3, 13, 0.05, 0.54)
    (arm,) = found.arms
    assert (arm.arm, arm.failures, arm.trials) == (Arm.PLAIN, 3, 13)
    assert arm.limits == "CPU enforced, memory not-asked by cgroup-v2; isolated by none"


def test_a_cause_may_be_none_and_limits_may_be_untold() -> None:
    found = claim(verdict="not-reproduced", failed=0, passed=12, cause={"kind": "none"}, limits={})
    assert (found.cause, found.rank, found.cause_sentence, found.exception) == (CauseKind.NONE, None, "", "")
    assert found.arms[0].limits == ""
    told = report(limits={"arms": {"plain": {"held": {"cpus": 7}}}})
    assert read_claim(told, test=TEST).arms[0].limits == ""
    assert read_claim(report(limits={"arms": {"plain": 3}}), test=TEST).arms[0].limits == ""
    held = {"cpus": "enforced"}
    told = report(limits={"arms": {"plain": {"held": held}}})
    assert read_claim(told, test=TEST).arms[0].limits == "CPU enforced"


def test_an_exception_without_a_message_is_its_type() -> None:
    cause = report()["cause"] | {"exception": {"type": "KeyError", "message": ""}}
    assert claim(cause=cause).exception == "KeyError"


def test_trials_that_ran_nothing_count_in_no_arm() -> None:
    told = report()
    told["trials"] += [{"arm": "cpu-0.5", "outcome": "void"}, {"arm": "cpu-0.5", "outcome": "no-trial"}]
    assert [(one.arm, one.trials) for one in read_claim(told, test=TEST).arms] == [
        (Arm.PLAIN, 13),
        (Arm.CPU_HALF, 0),
    ]


def test_texts_are_cut_and_on_one_line() -> None:
    found = claim(sentence="a\nb " + "x" * 9_000)
    assert found.sentence.startswith("a b xx")
    assert found.sentence.endswith("…")
    assert len(found.sentence) == 1_000


@pytest.mark.parametrize(
    ("verdict", "failed", "passed"),
    [
        ("confirmed-flake", 2, 1),
        ("reproduced-once", 1, 0),
        ("deterministic", 6, 0),
        ("not-reproduced", 0, 10),
        ("no-trial", 0, 0),
        ("budget-exhausted", 0, 9),
    ],
)
def test_each_verdict_needs_trials_that_bear_it_out(verdict: str, failed: int, passed: int) -> None:
    assert claim(verdict=verdict, failed=failed, passed=passed).verdict == verdict


@pytest.mark.parametrize(
    ("verdict", "failed", "passed"),
    [
        ("confirmed-flake", 5, 0),
        ("confirmed-flake", 1, 9),
        ("reproduced-once", 0, 9),
        ("deterministic", 5, 0),
        ("not-reproduced", 0, 9),
        ("not-reproduced", 1, 9),
        ("other-failure", 0, 9),
        ("no-trial", 0, 1),
        ("budget-exhausted", 0, 10),
    ],
)
def test_a_verdict_that_its_trials_do_not_bear_out_is_refused(verdict: str, failed: int, passed: int) -> None:
    reason = refusal(report(verdict=verdict, failed=failed, passed=passed))
    assert reason == f"its trials do not bear out {verdict}"


def test_other_failures_are_failures_that_do_not_agree() -> None:
    told = report(verdict="other-failure", failed=2, passed=3)
    told["bound"]["failures"] = 0
    assert read_claim(told, test=TEST).verdict is ReplayVerdict.OTHER_FAILURE


@pytest.mark.parametrize(("failures", "trials"), [(4, 13), (3, 14), (3, 2)])
def test_counts_beyond_the_trials_are_refused(failures: int, trials: int) -> None:
    told = report()
    told["bound"] |= {"failures": failures, "trials": trials}
    assert "counts other failures" in refusal(told)


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": "stable"},
        {"verdict": ["confirmed-flake"]},
        {"sentence": None},
        {"cause": {"kind": "cosmic-ray"}},
        {"cause": {"kind": "none", "rank": True}},
        {"cause": {"kind": "none", "rank": -1}},
        {"cause": {"kind": "none", "exception": "ValueError"}},
        {"cause": []},
        {"trials": {}},
        {"trials": [7]},
        {"trials": [{"arm": "moon", "outcome": "failed"}]},
        {"trials": [{"arm": "plain", "outcome": "failed"}] * (MOST_TRIALS + 1)},
        {"bound": None},
        {"bound": {"failures": 3, "trials": 13, "rate_low_95": "0", "rate_high_95": 1}},
        {"bound": {"failures": 3, "trials": 13, "rate_low_95": float("nan"), "rate_high_95": 1}},
        {"bound": {"failures": 3, "trials": 13, "rate_low_95": 0, "rate_high_95": float("inf")}},
        {"bound": {"failures": 3, "trials": 13, "rate_low_95": 0.6, "rate_high_95": 0.5}},
        {"bound": {"failures": 3.0, "trials": 13, "rate_low_95": 0, "rate_high_95": 1}},
    ],
)
def test_what_no_replay_prints_is_refused(changes: dict[str, Any]) -> None:
    assert refusal(report() | changes)


def test_a_report_on_injected_faults_is_no_evidence() -> None:
    assert "on purpose" in refusal({**report(), "injected": {"grade": "A"}})


def test_a_report_on_another_test_than_the_manifest_is_refused() -> None:
    assert "another test" in refusal(report("tests/test_other.py::test_x"))
    assert "about none" in refusal(report(""), test="")
    assert "another test" in refusal(report("x" * 5_000), test="x" * 5_000)


@given(ANYTHING)
def test_anything_is_a_claim_or_refused(told: object) -> None:
    assert refusal(told)


@given(st.sampled_from(sorted(report())), ANYTHING)
def test_any_field_replaced_is_a_claim_or_refused(name: str, value: object) -> None:
    told = json.loads(json.dumps(report())) | {name: value}
    with suppress(Rejected):
        assert read_claim(told, test=TEST).test == TEST


@pytest.mark.parametrize(
    ("event", "from_fork", "own_word"),
    [
        ("push", False, False),
        ("pull_request", False, False),
        ("merge_group", False, False),
        ("pull_request", True, True),
        ("push", True, True),
        ("pull_request_target", False, True),
        ("workflow_run", False, True),
    ],
)
def test_strangers_code_speaks_for_itself_only(event: str, *, from_fork: bool, own_word: bool) -> None:
    assert is_own_word(event, from_fork=from_fork) is own_word
