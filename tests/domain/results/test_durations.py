"""Durations that results files write: seconds, or unknown; many at once are what one by one gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.results.durations import parse_duration, parse_durations

WRITTEN = [
    (None, None),
    ("", None),
    ("0.", 0.0),
    ("1e-05", 1e-05),
    ("1,234.56", 1234.56),
    ("NaN", None),
    ("Infinity", None),
    ("-1", None),
    ("0,25", None),
    ("1.234,56", None),
    ("12 ms", None),
    ("00:01:02.5", None),
    ("1_0", None),
    ("9" * 30, None),
]


@pytest.mark.parametrize(("value", "seconds"), WRITTEN)
def test_a_duration_that_makes_no_sense_is_unknown(value: str | None, seconds: float | None) -> None:
    assert parse_duration(value) == seconds


@given(
    st.lists(st.sampled_from([value for value, _ in WRITTEN if value is not None] + ["0.25", "3", "17.5"]))
)
def test_many_durations_are_read_as_each_alone(values: list[str]) -> None:
    assert list(parse_durations(values)) == [parse_duration(value) for value in values]


def test_no_durations_are_none() -> None:
    assert list(parse_durations([])) == []
