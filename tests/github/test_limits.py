"""How long GitHub asks to wait."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.github.limits import (
    LONGEST_WAIT_S,
    SECONDARY_WAIT_S,
    WRITES,
    RateBudget,
    budget_in,
    wait_s,
    write_wait_s,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SECONDARY = "You have exceeded a secondary rate limit and have been temporarily blocked."


@pytest.mark.parametrize(
    ("status", "headers", "message", "expected"),
    [
        (429, {"retry-after": "17"}, "", 17.0),
        (403, {"retry-after": "17"}, "", 17.0),
        (403, {"retry-after": "0"}, "", 1.0),
        (403, {"retry-after": "999999"}, "", LONGEST_WAIT_S),
        (429, {"retry-after": "Mon, 30 Nov 2026 12:00:00 GMT"}, "", SECONDARY_WAIT_S),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW.timestamp()) + 90)}, "", 90.0),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW.timestamp()) - 90)}, "", 1.0),
        (403, {"x-ratelimit-remaining": "7", "x-ratelimit-reset": str(int(NOW.timestamp()) + 90)}, "", None),
        (403, {}, SECONDARY, SECONDARY_WAIT_S),
        (403, {}, "You have triggered an abuse detection mechanism.", SECONDARY_WAIT_S),
        (429, {}, "", SECONDARY_WAIT_S),
        (403, {}, "Resource not accessible by integration", None),
        (404, {"retry-after": "17"}, SECONDARY, None),
        (502, {"retry-after": "17"}, "", None),
    ],
)
def test_only_a_limit_has_a_time_to_wait(
    status: int, headers: dict[str, str], message: str, expected: float | None
) -> None:
    assert wait_s(status, headers, message, now=NOW) == expected


@given(st.sampled_from([403, 429]), st.text(), st.text(), st.text(), st.text())
def test_any_header_gives_a_bounded_wait_or_none(
    status: int, after: str, remaining: str, reset: str, message: str
) -> None:
    headers = {"retry-after": after, "x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset}
    seconds = wait_s(status, headers, message, now=NOW)
    assert seconds is None or 1.0 <= seconds <= LONGEST_WAIT_S


MOMENTS = st.lists(st.integers(0, 7200), max_size=700).map(
    lambda seconds: [NOW - timedelta(seconds=ago) for ago in sorted(seconds, reverse=True)]
)


@given(MOMENTS)
def test_write_after_the_wait_keeps_within_both_limits(written: list[datetime]) -> None:
    wait = write_wait_s(written, now=NOW)
    at = NOW + timedelta(seconds=wait)
    assert sum(moment > at - timedelta(minutes=1) for moment in written) < 80
    assert sum(moment > at - timedelta(hours=1) for moment in written) < 500
    assert wait == 0 or any(
        sum(moment > at - period - timedelta(seconds=1) for moment in written) >= most
        for most, period in WRITES.items()
    ), "no wait is longer than it must be"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"limit": "5000", "remaining": "4990", "reset": "+600"}, (5000, 4990, 600)),
        ({"limit": "5000", "remaining": "9999", "reset": "+600"}, (5000, 5000, 600)),
        ({"limit": "5000", "remaining": "1", "reset": "-600"}, (5000, 1, 1)),
        ({"limit": "5000", "remaining": "1", "reset": "+999999"}, (5000, 1, LONGEST_WAIT_S)),
        ({"limit": "5000", "remaining": "1"}, None),
        ({"remaining": "1", "reset": "+600"}, None),
        ({"limit": "5000", "remaining": "-1", "reset": "+600"}, None),
        ({"limit": "9" * 13, "remaining": "1", "reset": "+600"}, None),
        ({"limit": "30", "remaining": "1", "reset": "+600", "resource": "search"}, None),
        ({}, None),
    ],
)
def test_budget_is_read_from_all_its_headers_or_not_at_all(
    headers: dict[str, str], expected: tuple[int, int, int] | None
) -> None:
    told = {f"x-ratelimit-{name}": value for name, value in headers.items()}
    reset = headers.get("reset")
    if reset is not None:
        told["x-ratelimit-reset"] = str(int(NOW.timestamp()) + int(reset))
    budget = budget_in(told, now=NOW)
    seen = budget and (budget.limit, budget.remaining, (budget.resets_at - NOW).total_seconds())
    assert seen == expected


def test_share_of_no_budget_at_all_is_none() -> None:
    budget = RateBudget(limit=0, remaining=0, resets_at=NOW, seen_at=NOW)
    assert budget.share == 0
