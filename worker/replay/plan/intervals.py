"""Exact intervals and tests for small counts: binomial tails, Clopper and Pearson, Fisher, Beta.

Counts here are tens of trials, where approximations by a normal curve are wrong by whole factors. Everything
is a sum of exact integers, or a continued fraction run to the precision of a float.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_STEPS = 200
_EPSILON = 1e-15
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Interval:
    """Rates, as fractions."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Split:
    """Failures of trials on two sides of a comparison."""

    failures: int
    trials: int
    control_failures: int
    control_trials: int


def clopper_pearson(failures: int, trials: int, *, confidence: float = 0.95) -> Interval:
    """The exact interval of a rate (Clopper and Pearson 1934).

    Where none or all of the trials failed, one end is certain, and the other takes the whole remaining
    probability: 0 of 14 leaves rates up to 19.3 % possible, 5 of 5 rates from 54.9 %.
    """
    if trials == 0:
        return Interval(0.0, 1.0)
    missed = 1.0 - confidence
    if failures == 0:
        return Interval(0.0, -math.expm1(math.log(missed) / trials))
    if failures == trials:
        return Interval(math.exp(math.log(missed) / trials), 1.0)
    return Interval(
        beta_quantile(missed / 2, failures, trials - failures + 1),
        beta_quantile(1 - missed / 2, failures + 1, trials - failures),
    )


def binomial_at_least(failures: int, trials: int, rate: float) -> float:
    """P(X >= failures) of `trials` independent trials that fail at `rate`."""
    if failures <= 0:
        return 1.0
    if failures > trials:
        return 0.0
    return beta_below(rate, failures, trials - failures + 1)


def fisher_greater(split: Split) -> float:
    """Fisher's exact test, one-sided: how probable it is, if the sides do not differ, that the first fails
    as often as it did or more, given all four margins.
    """
    return stratified_greater([split])


def stratified_greater(splits: Sequence[Split]) -> float:
    """Fisher's test over several strata at once: the sum of the first side's failures, given the margins of
    each stratum. One stratum gives Fisher's own p; a stratum with equal outcomes throughout adds nothing.

    Pooling the strata instead would compare, say, bare trials of one arm with probed ones of another.
    """
    ways = [1]
    lowest = 0
    for one in splits:
        start, counts = _hypergeometric(one)
        lowest += start
        ways = _convolve(ways, counts)
    seen = sum(one.failures for one in splits) - lowest
    return sum(ways[seen:]) / sum(ways)


def beta_below(x: float, a: float, b: float) -> float:
    """P(X <= x) of a Beta(a, b): the regularised incomplete beta function."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    front = math.exp(log_front)
    # The fraction converges fast on one side of the mean; the other side is its mirror image.
    if x < (a + 1) / (a + b + 2):
        return front * _continued_fraction(x, a, b) / a
    return 1.0 - front * _continued_fraction(1.0 - x, b, a) / b


def beta_quantile(probability: float, a: float, b: float) -> float:
    """The x with P(X <= x) = `probability` of a Beta(a, b)."""
    return _bisect(lambda x: beta_below(x, a, b) < probability)


def _bisect(is_too_low: Callable[[float], bool]) -> float:
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        low, high = (middle, high) if is_too_low(middle) else (low, middle)
    return (low + high) / 2


def _continued_fraction(x: float, a: float, b: float) -> float:
    """Lentz's method on the continued fraction of the incomplete beta function (DLMF 8.17.22)."""
    c, d = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    fraction = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for numerator in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + numerator * d)
            c = _away_from_zero(1.0 + numerator / c)
            fraction *= d * c
        if abs(d * c - 1.0) < _EPSILON:
            break
    return fraction


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _hypergeometric(split: Split) -> tuple[int, list[int]]:
    """The fewest failures the first side can have, and in how many ways it has that many, one more ..."""
    failures = split.failures + split.control_failures
    start = max(0, failures - split.control_trials)
    most = min(failures, split.trials)
    ways = [
        math.comb(split.trials, each) * math.comb(split.control_trials, failures - each)
        for each in range(start, most + 1)
    ]
    return start, ways


def _convolve(left: Sequence[int], right: Sequence[int]) -> list[int]:
    product = [0] * (len(left) + len(right) - 1)
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            product[i + j] += one * other
    return product
