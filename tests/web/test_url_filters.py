"""Filters live in the address: what is written there is read back, and nonsense is not an error."""

from urllib.parse import parse_qsl, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from app.dashboard.url_filters import WINDOWS_DAYS, UrlFilters, read_days, read_filters, read_key
from app.domain.verdict import Kind
from app.store.screens.flaky_tests import Sort

WORDS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=40).map(
    str.strip
)
FILTERS = st.builds(
    UrlFilters,
    days=st.sampled_from(WINDOWS_DAYS),
    repo=WORDS,
    branch=WORDS,
    kind=st.none() | st.sampled_from(Kind),
    search=WORDS,
    sort=st.sampled_from(Sort),
    after=st.none()
    | st.lists(st.integers(0, 2**40) | st.floats(0, 1), min_size=1, max_size=3).map(
        lambda keys: tuple(map(float, keys))
    ),
)


def query_of(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))


@given(FILTERS)
def test_an_address_gives_back_the_filters_it_was_made_of(filters: UrlFilters) -> None:
    assert read_filters(query_of(filters.href()), default_days=14) == filters


@given(st.dictionaries(st.sampled_from(["days", "repo", "branch", "kind", "q", "sort", "after"]), st.text()))
def test_any_address_opens(query: dict[str, str]) -> None:
    filters = read_filters(query, default_days=14)
    filters.search.encode("utf-8")
    assert "\x00" not in filters.search + filters.repo + filters.branch
    assert filters.after is None or all(abs(key) < 2**53 for key in filters.after)


def test_sorting_anew_begins_at_the_first_page() -> None:
    filters = UrlFilters(days=14, after=(1.0, 2.0))
    assert filters.sorted_by(Sort.RATE) == UrlFilters(days=14, sort=Sort.RATE)


def test_a_cursor_that_is_no_number_or_too_long_counts_as_none() -> None:
    for text in ("x", "1~nan", "inf", "1" * 200, "1~~2", "1e300"):
        assert read_filters({"after": text}, default_days=14).after is None


def test_days_and_keys_outside_their_range_count_as_not_said() -> None:
    assert [read_days({"days": text}, default_days=14) for text in ("7", "8", "", "-1")] == [7, 14, 14, 14]
    assert [read_key({"before": text}, "before") for text in ("12", "x", "", "-1", "٣", "9" * 30)] == [
        12, None, None, None, None, None,
    ]  # fmt: skip
    assert read_key({}, "before") is None
