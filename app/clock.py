"""The only place that reads time."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime: ...


class SystemClock:
    def now(self) -> datetime:
        """The current instant, aware, in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - this is the home of the ban
