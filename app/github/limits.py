"""GitHub's limits: how long an answer asks us to wait, what it leaves of the hour, and how fast we may write.

Source: docs.github.com, "Rate limits for the REST API", primary and secondary limits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

SECONDARY_WAIT_S = 60.0
"""The documented wait of "at least one minute" where a secondary limit names none."""

LONGEST_WAIT_S = 3600.0
"""Limits are reset every hour; a longer wish is a clock that differs from ours."""

WRITES = {80: timedelta(minutes=1), 500: timedelta(hours=1)}
"""Content-creating requests that GitHub takes in a time."""

MAIN_BUDGET = "core"
LONGEST_NUMBER = 12


@dataclass(frozen=True, slots=True)
class RateBudget:
    """Requests of the current hour, as GitHub last told; `resets_at` by our clock."""

    limit: int
    remaining: int
    resets_at: datetime
    seen_at: datetime

    @property
    def share(self) -> float:
        """What is left, 0..1."""
        return self.remaining / self.limit if self.limit else 0.0


def wait_s(status: int, headers: Mapping[str, str], message: str, *, now: datetime) -> float | None:
    """Seconds until the next request makes sense, or None where the answer is about no limit.

    `headers` look names up without regard to case. Only 403 and 429 speak of limits.
    """
    if status not in {403, 429}:
        return None
    asked = _seconds(headers.get("retry-after"))
    if asked is not None:
        return _bounded(asked)
    reset = _seconds(headers.get("x-ratelimit-reset"))
    if headers.get("x-ratelimit-remaining") == "0" and reset is not None:
        return _bounded(reset - now.timestamp())
    if status == 429 or "secondary rate limit" in message.lower() or "abuse detection" in message.lower():  # noqa: PLR2004 - the status itself
        return SECONDARY_WAIT_S
    return None


def budget_in(headers: Mapping[str, str], *, now: datetime) -> RateBudget | None:
    """The hourly budget as an answer tells it; None where it tells none, or of another than the main one."""
    limit, remaining = (
        _number(headers.get("x-ratelimit-limit")),
        _number(headers.get("x-ratelimit-remaining")),
    )
    reset = _number(headers.get("x-ratelimit-reset"))
    if limit is None or remaining is None or reset is None:
        return None
    if headers.get("x-ratelimit-resource", MAIN_BUDGET) != MAIN_BUDGET:
        return None
    ends_at = now + timedelta(seconds=_bounded(reset - now.timestamp()))
    return RateBudget(limit=limit, remaining=min(remaining, limit), resets_at=ends_at, seen_at=now)


def write_wait_s(written_at: Sequence[datetime], *, now: datetime) -> float:
    """Seconds until one more write keeps within GitHub's limits; 0 if it does now.

    `written_at` are the times of our writes, oldest first.
    """
    waits = [
        (written_at[-most] + period - now).total_seconds()
        for most, period in WRITES.items()
        if len(written_at) >= most
    ]
    return max(0.0, *waits) if waits else 0.0


def _bounded(seconds: float) -> float:
    """At least one second: a limit whose time is just over is not yet lifted everywhere."""
    return min(max(seconds, 1.0), LONGEST_WAIT_S)


def _seconds(text: str | None) -> float | None:
    """Whole seconds; anything else (an HTTP date from a proxy) counts as not said."""
    number = _number(text)
    return None if number is None else float(number)


def _number(text: str | None) -> int | None:
    """At most 12 digits, which an hour's end in seconds has until the year 33658."""
    is_number = text is not None and text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER
    return int(text) if is_number and text is not None else None
