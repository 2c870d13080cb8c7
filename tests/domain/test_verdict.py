"""A change of mind: what is one, and what is only more of the same."""

from dataclasses import replace

import pytest
from telling_builders import NEW

from app.domain.gap import Gap, GapKind
from app.domain.verdict import (
    EvidenceKind,
    EvidenceStrength,
    Kind,
    Reason,
    Strength,
    Whose,
    is_change_of_mind,
)

GONE = Gap(GapKind.LOG_GONE, "test (3.12)", "it has expired")
ALIKE = Reason(EvidenceKind.SEEN_WITHOUT_CHANGE, EvidenceStrength.STRONG, "It failed in run 1.", (1,))
BEFORE = replace(NEW, gaps=(GONE,), reasons=(ALIKE,))


@pytest.mark.parametrize(
    "other",
    [
        {"kind": Kind.UNDECIDED},
        {"strength": Strength.LIKELY},
        {"whose": Whose.NOT_YOURS},
        {"cause": "late-rank"},
        {"opaque": True},
        {"reasons": ()},
        {"gaps": ()},
        {"gaps": (GONE, replace(GONE, kind=GapKind.FILE_PARTIAL))},
    ],
)
def test_another_claim_or_another_kind_of_evidence_is_a_change_of_mind(other: dict[str, object]) -> None:
    assert is_change_of_mind(BEFORE, replace(BEFORE, **other))


@pytest.mark.parametrize(
    "other",
    [
        {"policy_version": "3"},
        {"reasons": (replace(ALIKE, text="It failed in run 2.", runs=(2,)), ALIKE)},
        {"gaps": (GONE, replace(GONE, subject="test (3.12) in run 2"))},
    ],
)
def test_one_more_of_a_kind_is_none(other: dict[str, object]) -> None:
    assert not is_change_of_mind(BEFORE, replace(BEFORE, **other))
