"""What a verdict says of a base that nobody can look at, or that fails in another way."""

from dataclasses import replace
from datetime import timedelta

import pytest
from evidence_builders import MAIN, NOON, ON_MAIN, POLICY, evidence, failed_elsewhere, streak

from app.domain.evidence import BaseState, Unseen
from app.domain.gap import Gap, GapKind
from app.domain.judge import judge
from app.domain.verdict import Kind, Whose

UNREAD = Gap(GapKind.RUNS_UNREAD, "45 runs before noon", "left unread")


def test_an_unseen_base_is_a_gap_and_no_excuse_and_the_text_says_what_is_missing() -> None:
    base = BaseState("main", unseen=(Unseen(45, NOON + timedelta(days=1), UNREAD),))
    verdict = judge(evidence(recurrences=(failed_elsewhere(),), base=base), POLICY)
    assert (verdict.whose, verdict.gaps) == (Whose.UNKNOWN, (UNREAD,))
    assert any("nothing of 45 runs before noon" in reason.text for reason in verdict.reasons)


@pytest.mark.parametrize(
    ("same", "whose"), [(True, Whose.NOT_YOURS), (None, Whose.NOT_YOURS), (False, Whose.UNKNOWN)]
)
def test_a_base_that_fails_with_other_values_excuses_nothing(same: bool | None, whose: Whose) -> None:  # noqa: FBT001 - a case
    broken = replace(streak(3, MAIN), same_values=same)
    verdict = judge(evidence(main_streak=broken), POLICY)
    assert verdict.whose is whose
    assert (verdict.kind is Kind.BROKEN_MAIN) is (whose is Whose.NOT_YOURS)


def test_on_main_itself_the_values_of_its_streak_are_not_asked() -> None:
    verdict = judge(evidence(change=ON_MAIN, main_streak=replace(streak(3), same_values=False)), POLICY)
    assert verdict.kind is Kind.BROKEN_MAIN
