"""What the rules mean: each has a text within the limits of those who show it, and examples in Python."""

import ast

import pytest

from app.domain.lint.finding import Rule
from app.domain.lint.meanings import MEANINGS
from app.domain.lint.sarif_rules import LONGEST_DESCRIPTION, rules


@pytest.mark.parametrize("rule", Rule)
def test_every_rule_says_what_it_means_and_how_it_is_mended(rule: Rule) -> None:
    meaning = MEANINGS[rule]
    assert len(meaning.short) < 100
    assert not meaning.short.endswith(".")
    assert len(meaning.why) <= LONGEST_DESCRIPTION
    assert meaning.mend.endswith(".")


@pytest.mark.parametrize("rule", Rule)
def test_both_examples_are_python_and_fit_beside_a_result(rule: Rule) -> None:
    meaning = MEANINGS[rule]
    for example in (meaning.bad, meaning.mended):
        ast.parse(example)
        assert max(map(len, example.split("\n"))) <= 88
    assert meaning.bad != meaning.mended


def test_rules_of_sarif_stand_in_the_order_that_results_count_by() -> None:
    assert [one["id"] for one in rules()] == [rule.value for rule in Rule]
