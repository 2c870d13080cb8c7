"""A run takes place within a known span of years."""

from datetime import UTC, datetime

import pytest

from app.domain.moment import is_plausible


@pytest.mark.parametrize(
    ("year", "plausible"),
    [(1, False), (1970, False), (2000, True), (2026, True), (2100, True), (2101, False)],
)
def test_years_of_runs(*, year: int, plausible: bool) -> None:
    assert is_plausible(datetime(year, 6, 1, tzinfo=UTC)) is plausible
