"""Words of verdicts: every kind and strength reads as English, one or many."""

from dataclasses import replace

import pytest

from app.domain.verdict import Kind, Strength, Verdict, Whose
from app.domain.verdict_words import kind_words, kinds_told, shares_told


def verdict(kind: Kind, strength: Strength = Strength.SUSPECTED) -> Verdict:
    return Verdict(kind, strength, Whose.UNKNOWN, (), (), opaque=False, policy_version="1")


@pytest.mark.parametrize(
    ("said", "one", "many"),
    [
        (verdict(Kind.FLAKY), "suspected flake", "suspected flakes"),
        (verdict(Kind.FLAKY, Strength.CONFIRMED), "confirmed flake", "confirmed flakes"),
        (verdict(Kind.REGRESSION, Strength.LIKELY), "likely regression", "likely regressions"),
        (verdict(Kind.REGRESSION, Strength.CONFIRMED), "regression", "regressions"),
        (verdict(Kind.NEW_FAILURE), "new failure", "new failures"),
        (verdict(Kind.INFRASTRUCTURE), "failure of a whole job", "failures of whole jobs"),
        (verdict(Kind.BROKEN_MAIN), "failure of a broken main", "failures of a broken main"),
        (verdict(Kind.UNDECIDED), "failure not decided yet", "failures not decided yet"),
        (verdict(Kind.ORDER_DEPENDENT), "failure by the order of tests", "failures by the order of tests"),
    ],
)
def test_a_kind_in_words(said: Verdict, one: str, many: str) -> None:
    assert (kind_words(said), kind_words(said, many=True)) == (one, many)


def test_kinds_are_counted_in_the_order_given() -> None:
    new, flake = verdict(Kind.NEW_FAILURE), verdict(Kind.FLAKY)
    assert kinds_told([flake]) == "a suspected flake"
    assert kinds_told([new, flake, new]) == "2 new failures and 1 suspected flake"


@pytest.mark.parametrize(
    ("strengths", "told"),
    [
        ((Strength.SUSPECTED, Strength.SUSPECTED), "2 suspected flakes (not yours)"),
        ((Strength.LIKELY,), "1 likely flake (not yours)"),
        ((Strength.LIKELY, Strength.SUSPECTED), "2 not yours"),
    ],
)
def test_an_excuse_claims_no_more_than_its_verdicts(strengths: tuple[Strength, ...], told: str) -> None:
    flakes = [replace(verdict(Kind.FLAKY), strength=one, whose=Whose.NOT_YOURS) for one in strengths]
    assert shares_told(flakes) == told
