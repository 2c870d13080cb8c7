"""Reasons: what each sentence says, and in which order they come."""

from dataclasses import replace

import pytest
from evidence_builders import (
    BRANCH,
    FAILED,
    INFRA,
    MAIN,
    OLD,
    ON_MAIN,
    OPAQUE,
    PASS_OTHER_TREE,
    PASS_SAME_TREE,
    PASS_TREE_UNKNOWN,
    PASSED,
    POLICY,
    PR,
    base,
    evidence,
    failed_elsewhere,
    flipped_elsewhere,
    merged,
    repeats,
    seen,
    streak,
)

from app.domain.evidence import Change, Evidence, Flip, JobTally, Observation, Relation
from app.domain.ids import Sha
from app.domain.judge import judge
from app.domain.tested_tree import UNKNOWN_TREE
from app.domain.verdict import EvidenceKind, EvidenceStrength, Reason
from app.domain.wording import claim


def reasons(known: Evidence, kind: EvidenceKind) -> list[Reason]:
    return [reason for reason in judge(known, POLICY).reasons if reason.kind is kind]


def test_the_deciding_reason_comes_first_and_what_is_open_last() -> None:
    known = evidence(
        change=ON_MAIN,
        same_code=(PASS_SAME_TREE,),
        siblings=(seen(PASSED, job="test (3.11)"),),
        recurrences=(failed_elsewhere(), failed_elsewhere(Relation.WITH_CHANGE, sha=Sha("5" * 40))),
        base=base(passes=3),
        related=("rank 1 raised ValueError",),
    )
    kinds = [reason.kind for reason in judge(known, POLICY).reasons]
    assert kinds == [
        EvidenceKind.SAME_TREE_FLIP,
        EvidenceKind.SIBLING_PASSED,
        EvidenceKind.SEEN_WITHOUT_CHANGE,
        EvidenceKind.SEEN_WITH_CHANGE,
        EvidenceKind.BASE_STATE,
        EvidenceKind.RANK_LOG,
        EvidenceKind.NOT_EXCLUDED,
    ]


@pytest.mark.parametrize(
    ("known", "first"),
    [
        (
            evidence(change=ON_MAIN, main_streak=streak(2), flips_elsewhere=(flipped_elsewhere(),)),
            EvidenceKind.FLIPPED_ELSEWHERE,
        ),
        (
            evidence(change=ON_MAIN, main_streak=streak(3), flips_elsewhere=(flipped_elsewhere(),)),
            EvidenceKind.MAIN_STREAK,
        ),
        (evidence(base=base(passes=20), same_code=repeats(2)), EvidenceKind.REPEATED_FAILURE),
        (evidence(base=base(passes=2), signature=INFRA), EvidenceKind.FIRST_SEEN),
        (evidence(tally=JobTally(20, 20), same_code=(PASS_SAME_TREE,)), EvidenceKind.MASS_FAILURE),
    ],
)
def test_the_first_reason_is_of_the_kind_that_decided(known: Evidence, first: EvidenceKind) -> None:
    assert judge(known, POLICY).reasons[0].kind is first


def test_siblings_that_failed_too_are_named() -> None:
    known = evidence(siblings=tuple(seen(FAILED, job=f"test (3.{minor})") for minor in (11, 13)))
    (reason,) = reasons(known, EvidenceKind.SIBLING_FAILED)
    assert reason.text == "In the same run it also failed in test (3.11) and test (3.13)."


def test_a_result_of_the_same_variant_is_no_sibling() -> None:
    assert reasons(evidence(siblings=(seen(PASSED),)), EvidenceKind.SIBLING_PASSED) == []


def test_recurrences_past_the_third_commit_are_counted_with_their_runs() -> None:
    known = evidence(
        recurrences=tuple(failed_elsewhere(sha=Sha(f"{n}" * 40), run=50 + n) for n in range(1, 6))
    )
    told = reasons(known, EvidenceKind.SEEN_WITHOUT_CHANGE)
    assert [reason.runs for reason in told] == [(55,), (54,), (53,), (51, 52)]
    assert told[-1].text.endswith("at 2 more commits: 2222222 and 1111111.")


def test_an_opaque_recurrence_is_weak_and_a_clear_one_strong() -> None:
    clear, opaque = (
        reasons(evidence(recurrences=(failed_elsewhere(),), **facts), EvidenceKind.SEEN_WITHOUT_CHANGE)
        for facts in ({}, {"signature": OPAQUE})
    )
    assert (clear[0].strength, opaque[0].strength) == (EvidenceStrength.STRONG, EvidenceStrength.WEAK)


def test_an_opaque_text_seen_nowhere_else_is_said_to_hold_no_cause() -> None:
    (reason,) = reasons(evidence(signature=OPAQUE), EvidenceKind.OPAQUE)
    assert reason.text == "This failure's text holds no cause."


def test_a_test_that_flipped_in_this_way_too_is_no_new_mode() -> None:
    known = evidence(test_flipped_before=True, flips_elsewhere=(flipped_elsewhere(),))
    assert reasons(known, EvidenceKind.NEW_MODE) == []


def test_several_candidates_are_all_named() -> None:
    change = replace(ON_MAIN, candidates=(Sha("1" * 40), Sha("2" * 40)))
    told = reasons(evidence(change=change, main_streak=streak(3)), EvidenceKind.NOT_EXCLUDED)
    assert [reason.text for reason in told] == [
        "The first commits that may have brought it in, newest first, are 1111111 and 2222222."
    ]


def test_repeated_failures_below_the_threshold_are_weak() -> None:
    (reason,) = reasons(evidence(same_code=repeats(1)), EvidenceKind.REPEATED_FAILURE)
    assert (reason.text, reason.strength) == ("It failed 2 of 2 times on this tree.", EvidenceStrength.WEAK)


def test_rank_logs_are_at_most_five_and_each_once() -> None:
    known = evidence(related=tuple(f"rank {n % 7}: lost its peer" for n in range(14)))
    assert len(reasons(known, EvidenceKind.RANK_LOG)) == 5


def test_a_claim_ends_where_its_proof_begins_but_not_inside_brackets() -> None:
    assert (
        claim("The same failure flipped at bd47e80: run 1 passed; known.")
        == "the same failure flipped at bd47e80"
    )
    assert claim("Run 1 (push, job CI: a; b) passed; both.") == "run 1 (push, job CI: a; b) passed"
    assert claim("Whole.") == "whole"


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (seen(PASSED, run=40, sha=OLD), "the same failure flipped at 0ld0001"),
        (
            seen(PASSED, run=40, sha=OLD, tested=merged("9f9f9f9")),
            "what failed alike passed and failed at 0ld0001, on different trees",
        ),
        (
            seen(PASSED, run=40, sha=OLD, tested=UNKNOWN_TREE),
            "what failed alike passed and failed at 0ld0001, on trees not known to be the same",
        ),
    ],
)
def test_a_flip_elsewhere_claims_one_tree_only_where_it_was_one(passed: Observation, said: str) -> None:
    known = evidence(flips_elsewhere=(Flip(failed=seen(run=41, sha=OLD), passed=passed),))
    (reason,) = reasons(known, EvidenceKind.FLIPPED_ELSEWHERE)
    assert claim(reason.text) == said


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (PASS_OTHER_TREE, "failed at bd47e80, on different trees"),
        (PASS_TREE_UNKNOWN, "failed at bd47e80, on trees not known to be the same"),
    ],
)
def test_a_flip_here_claims_no_more_than_is_known_of_the_trees(passed: Observation, said: str) -> None:
    (reason,) = reasons(evidence(same_code=(passed,)), EvidenceKind.SAME_SHA_FLIP)
    assert claim(reason.text).endswith(said)


def test_what_is_not_excluded_is_said_of_the_commit_that_failed() -> None:
    known = evidence(change=ON_MAIN, failure=seen(sha=MAIN), flips_elsewhere=(flipped_elsewhere(),))
    told = [reason.text for reason in reasons(known, EvidenceKind.NOT_EXCLUDED)]
    assert told[0] == "A regression is not excluded: no pass and fail on one tree is known at df3a615."


@pytest.mark.parametrize("change", [PR, ON_MAIN, BRANCH])
def test_the_change_has_one_name_in_all_reasons_of_a_verdict(change: Change) -> None:
    known = evidence(change=change, same_code=(PASS_SAME_TREE,), recurrences=(failed_elsewhere(),))
    assert "in question" not in " ".join(reason.text for reason in judge(known, POLICY).reasons)
