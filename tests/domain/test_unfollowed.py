"""A test whose id differs from run to run has no history: a gap says so, and never seen is no evidence."""

from dataclasses import replace

import pytest
from evidence_builders import FAILURE, PASS_SAME_TREE, POLICY, base, evidence, failed_elsewhere

from app.domain.gap import Gap, GapKind
from app.domain.judge import judge
from app.domain.unfollowed import why_unfollowed
from app.domain.verdict import EvidenceKind, Kind

UNSTABLE = "t::test_a[<A object at 0x7f3a1c2b4d50>]"
GAP = Gap(
    GapKind.ID_UNSTABLE, UNSTABLE, "the test's name holds a memory address, so its history cannot be followed"
)


def test_an_unstable_id_that_was_never_seen_is_undecided_with_a_gap() -> None:
    verdict = judge(evidence(test=UNSTABLE, same_code=(FAILURE,)), POLICY)
    assert verdict.kind is Kind.UNDECIDED
    assert GAP in verdict.gaps
    assert not any(reason.kind is EvidenceKind.FIRST_SEEN for reason in verdict.reasons)


def test_a_stable_id_that_was_never_seen_is_a_new_failure_without_that_gap() -> None:
    verdict = judge(evidence(), POLICY)
    assert verdict.kind is Kind.NEW_FAILURE
    assert verdict.gaps == ()


@pytest.mark.parametrize(
    "facts",
    [
        {"base": base(passes=1)},
        {"same_code": (PASS_SAME_TREE,)},
        {"recurrences": (failed_elsewhere(),)},
    ],
    ids=["base", "same code", "recurrence"],
)
def test_an_id_that_other_runs_have_too_is_followed_by_it(facts: dict[str, object]) -> None:
    assert why_unfollowed(evidence(test=UNSTABLE, **facts)) is None


def test_the_same_failure_of_other_parameters_does_not_follow_the_test() -> None:
    other = replace(failed_elsewhere(), same_test=False)
    assert why_unfollowed(evidence(test=UNSTABLE, recurrences=(other,), base=base())) == "a memory address"
