"""Geometry of the pictures: everything inside the frame, nothing drawn that was not seen."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from app.dashboard.charts import CELL, Day, day_chart, grid_chart
from app.dashboard.parts import Link, Mark

RED, GREEN = Mark("failed", "cross", "bad"), Mark("passed", "check", "good")
LAST = date(2026, 11, 30)
DAYS = st.builds(
    lambda back, ran, red: Day(LAST - timedelta(days=back), ran, min(ran, red)),
    st.integers(0, 200),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
)


def test_a_cell_stands_at_its_variant_and_attempt_and_nowhere_else() -> None:
    columns = [(Link("aaaaaaa", "/runs/1"), "run 1"), (Link("bbbbbbb", "/runs/2"), "run 2")]
    chart = grid_chart(["a", "b"], columns, {(0, 0): GREEN, (1, 1): RED})
    first, second = chart.rows
    assert first.marks == (GREEN, None)
    assert second.marks == (None, RED)
    (green,), (red,) = first.cells, second.cells
    assert (red.x - green.x, red.y - green.y) == (CELL, CELL)
    assert (red.title, red.href) == ("failed in b, run 2", "/runs/2")


def test_a_long_variant_keeps_its_end_where_the_difference_is() -> None:
    name = "build / very long name of a workflow (ubuntu-latest, 3.12)"
    (row,) = grid_chart([name], [], {}).rows
    assert row.name == name
    assert row.shown.startswith("…")
    assert row.shown.endswith("(ubuntu-latest, 3.12)")


def test_a_grid_without_rows_has_a_size() -> None:
    assert grid_chart([], [], {}).width > 0


@given(st.lists(DAYS, max_size=40, unique_by=lambda day: day.day))
def test_bars_stay_inside_and_a_failure_is_never_too_small_to_see(days: list[Day]) -> None:
    chart = day_chart(days, first=LAST - timedelta(days=300), last=LAST)
    assert len(chart.bars) == len(chart.days)
    for bar in chart.bars:
        assert 0 <= bar.x < chart.width
        assert bar.y + bar.height == chart.height
        assert 0 <= bar.red_height <= bar.height
        assert (bar.red_height > 0) == (bar.day.red > 0)


def test_days_without_runs_have_no_bar() -> None:
    chart = day_chart([Day(LAST, 0, 0)], first=LAST, last=LAST)
    assert chart.bars == ()
