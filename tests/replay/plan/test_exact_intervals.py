"""Exact statistics of small counts, against identities that they must satisfy and published figures."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.replay.plan.intervals import (
    Split,
    beta_below,
    beta_quantile,
    binomial_at_least,
    clopper_pearson,
    fisher_greater,
    stratified_greater,
)

RATES = st.floats(min_value=0.001, max_value=0.999)
SHAPES = st.floats(min_value=0.05, max_value=400)


@st.composite
def splits(draw: st.DrawFn) -> Split:
    trials, control = draw(st.integers(0, 25)), draw(st.integers(0, 25))
    return Split(draw(st.integers(0, trials)), trials, draw(st.integers(0, control)), control)


def _tail(failures: int, trials: int, rate: float) -> Fraction:
    exact = Fraction(rate)
    terms = (
        math.comb(trials, k) * exact**k * (1 - exact) ** (trials - k) for k in range(failures, trials + 1)
    )
    return sum(terms, Fraction(0))


@given(st.integers(1, 60), st.data(), RATES)
def test_binomial_tail_is_the_sum_of_its_terms(trials: int, data: st.DataObject, rate: float) -> None:
    failures = data.draw(st.integers(0, trials))
    assert binomial_at_least(failures, trials, rate) == pytest.approx(
        float(_tail(failures, trials, rate)), abs=1e-12
    )


@given(RATES, SHAPES, SHAPES)
def test_beta_mirrors_itself(x: float, a: float, b: float) -> None:
    assert beta_below(x, a, b) + beta_below(1 - x, b, a) == pytest.approx(1.0, abs=1e-9)


@given(RATES, SHAPES, SHAPES)
def test_beta_satisfies_its_recurrence(x: float, a: float, b: float) -> None:
    step = math.exp(
        a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a + 1) - math.lgamma(b)
    )
    assert beta_below(x, a, b) - beta_below(x, a + 1, b) == pytest.approx(step, abs=1e-9)


@given(RATES, st.floats(0.5, 100), st.floats(0.5, 100))
def test_beta_quantile_is_the_inverse_of_the_tail(probability: float, a: float, b: float) -> None:
    assert beta_below(beta_quantile(probability, a, b), a, b) == pytest.approx(probability, abs=1e-9)


def test_beta_is_certain_at_its_ends() -> None:
    assert beta_below(0.0, 2, 3) == 0.0
    assert beta_below(1.0, 2, 3) == 1.0
    assert beta_below(0.3, 1, 1) == pytest.approx(0.3)


@given(st.integers(2, 80), st.data())
def test_interval_leaves_half_of_five_percent_on_either_side(trials: int, data: st.DataObject) -> None:
    failures = data.draw(st.integers(1, trials - 1))
    interval = clopper_pearson(failures, trials)
    assert interval.low < failures / trials < interval.high
    assert binomial_at_least(failures, trials, interval.low) == pytest.approx(0.025, abs=1e-9)
    assert 1 - binomial_at_least(failures + 1, trials, interval.high) == pytest.approx(0.025, abs=1e-9)


@given(st.integers(1, 200), st.data())
def test_interval_shrinks_towards_the_rate_as_trials_grow(trials: int, data: st.DataObject) -> None:
    failures = data.draw(st.integers(0, trials))
    narrow, wide = clopper_pearson(failures * 2, trials * 2), clopper_pearson(failures, trials)
    assert narrow.high - narrow.low <= wide.high - wide.low


@pytest.mark.parametrize(("trials", "percent"), [(14, 20), (29, 10), (59, 5), (149, 2), (299, 1)])
def test_no_failure_bounds_the_rate_as_published(trials: int, percent: int) -> None:
    assert clopper_pearson(0, trials).high <= percent / 100 < clopper_pearson(0, trials - 2).high


@pytest.mark.parametrize(("trials", "percent"), [(5, 55), (10, 74), (14, 81)])
def test_failures_without_a_pass_bound_the_rate_as_published(trials: int, percent: int) -> None:
    assert round(100 * clopper_pearson(trials, trials).low) == percent


def test_no_trials_bound_nothing() -> None:
    interval = clopper_pearson(0, 0)
    assert (interval.low, interval.high) == (0.0, 1.0)


@pytest.mark.parametrize(("each", "p"), [(3, 0.05), (4, 0.0143), (5, 0.00397)])
def test_all_against_none_gives_fishers_p_as_published(each: int, p: float) -> None:
    assert fisher_greater(Split(each, each, 0, each)) == pytest.approx(p, abs=5e-5)


@given(splits())
def test_fisher_counts_every_table_with_these_margins(split: Split) -> None:
    failures = split.failures + split.control_failures
    tables = {
        k: math.comb(split.trials, k) * math.comb(split.control_trials, failures - k)
        for k in range(failures + 1)
    }
    as_far = sum(ways for k, ways in tables.items() if k >= split.failures)
    assert fisher_greater(split) == pytest.approx(as_far / sum(tables.values()))


@given(splits())
def test_both_tails_of_fisher_share_only_what_was_seen(split: Split) -> None:
    swapped = Split(split.control_failures, split.control_trials, split.failures, split.trials)
    assert fisher_greater(split) + fisher_greater(swapped) >= 1.0 - 1e-12


@given(splits(), st.integers(0, 20), st.integers(0, 20))
def test_a_stratum_in_which_nothing_failed_adds_nothing(split: Split, trials: int, control: int) -> None:
    quiet = Split(0, trials, 0, control)
    assert stratified_greater([split, quiet]) == pytest.approx(fisher_greater(split))


def test_strata_are_not_pooled() -> None:
    """Pooled, bare trials fail 5 of 8 against 5 of 14; within each arm they do not differ at all."""
    easy, hard = Split(0, 3, 0, 9), Split(5, 5, 5, 5)
    assert stratified_greater([easy, hard]) == pytest.approx(1.0)
    assert fisher_greater(Split(5, 8, 5, 14)) < 0.25


def test_nothing_to_compare_is_no_difference() -> None:
    assert stratified_greater([]) == 1.0
