"""How long GitHub asks us to wait, read from an answer's headers and message.

Source: docs.github.com, "Rate limits for the REST API", primary and secondary limits.
"""

from collections.abc import Mapping
from datetime import datetime

SECONDARY_WAIT_S = 60.0
"""The documented wait of "at least one minute" where a secondary limit names none."""

LONGEST_WAIT_S = 3600.0
"""Limits are reset every hour; a longer wish is a clock that differs from ours."""


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


def _bounded(seconds: float) -> float:
    """At least one second: a limit whose time is just over is not yet lifted everywhere."""
    return min(max(seconds, 1.0), LONGEST_WAIT_S)


def _seconds(text: str | None) -> float | None:
    """Whole seconds; anything else (an HTTP date from a proxy) counts as not said."""
    return float(text) if text is not None and text.isascii() and text.isdigit() else None
