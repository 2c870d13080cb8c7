"""How long GitHub asks to wait."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.github.limits import LONGEST_WAIT_S, SECONDARY_WAIT_S, wait_s

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
