"""How numbers, times and names are written."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from app.dashboard.filters import (
    ago,
    ahead,
    breakable,
    count,
    instant,
    iso,
    name_in,
    percent,
    scope_of,
    visible,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("a\u202eb", "a[U+202E]b"),
        ("\x1b[31m", "[U+001B][31m"),
        ("\x00\x7f\x85", "[U+0000][U+007F][U+0085]"),
        ("zero\u200bwidth\ufeff", "zero[U+200B]width[U+FEFF]"),
        ("\U000e0041", "[U+E0041]"),
        ("\ud800", "[U+D800]"),
        ("line\r\n\tnext", "line[U+000D]\n\tnext"),
        ("größer 🧑\u200d🚀 שלום", "größer 🧑\u200d🚀 שלום"),
    ],
)
def test_what_hides_is_shown(hidden: str, shown: str) -> None:
    assert visible(hidden) == shown


@given(st.text())
def test_shown_text_can_be_sent_and_is_shown_only_once(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    shown.encode("utf-8")


@given(st.text("a_<>&\"'/:.\u202e\x1b", max_size=30))
def test_breaking_a_name_changes_nothing_of_its_text(text: str) -> None:
    found = LexborHTMLParser(f"<p>{breakable(text)}</p>").css_first("p")
    assert {node.tag for node in found.css("*")} <= {"p", "wbr"}
    assert found.text() == visible(text)


@pytest.mark.parametrize(
    ("label", "scope"),
    [
        ("tests.test_a.TestB::test_c[x::y]", "tests.test_a.TestB::"),
        ("tests/a.py::test_c", "tests/a.py::"),
        ("ns::Suite::case", "ns::Suite::"),
        ("test_c", ""),
        ("test_c[a::b]", ""),
        ("odd::", ""),
        ("::odd", "::"),
        ("", ""),
    ],
)
def test_a_label_is_its_scope_and_its_name(label: str, scope: str) -> None:
    assert scope_of(label) == scope
    assert scope_of(label) + name_in(label) == label


@pytest.mark.parametrize(
    ("red", "ran", "said"),
    [
        (0, 0, "no results"),
        (0, 10, "0 %"),
        (10, 10, "100 %"),
        (1, 3, "33 %"),
        (1, 42, "2.4 %"),
        (1, 100_000, "< 0.1 %"),
        (99_999, 100_000, "99.9 %"),
        (995, 1000, "99.5 %"),
    ],
)
def test_a_rate_never_claims_more_than_was_seen(red: int, ran: int, said: str) -> None:
    assert percent(red, ran) == said


@given(st.integers(1, 10**7), st.integers(1, 10**7))
def test_a_rate_between_none_and_all_is_neither(red: int, more: int) -> None:
    assert percent(red, red + more) not in {"0 %", "0.0 %", "100 %"}


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=23), "23 h ago"),
        (timedelta(days=1), "yesterday"),
        (timedelta(days=30), "30 days ago"),
        (timedelta(days=31), "2026-10-30"),
    ],
)
def test_how_long_ago_is_one_unit(before: timedelta, said: str) -> None:
    assert ago(NOW - before, NOW) == said


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (timedelta(seconds=-5), "now"),
        (timedelta(seconds=0.2), "in 1 s"),
        (timedelta(seconds=61), "in 2 min"),
        (timedelta(minutes=60), "in 60 min"),
        (timedelta(minutes=61), "in 2 h"),
    ],
)
def test_how_long_until_then_is_one_unit(after: timedelta, said: str) -> None:
    assert ahead(NOW + after, NOW) == said


def test_numbers_and_instants() -> None:
    assert count(1234567) == "1\u2009234\u2009567"
    assert iso(NOW) == "2026-11-30T12:00:00+00:00"
    assert instant(NOW) == "2026-11-30 12:00:00 UTC"
