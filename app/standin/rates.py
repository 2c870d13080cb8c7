"""The hourly budget of each caller, told with every answer as GitHub does."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

HOUR = timedelta(hours=1)


@dataclass(slots=True)
class _Hour:
    ends_at: datetime
    used: int = 0


class Rates:
    """With `enforced`, what is over the limit is refused; otherwise it is only told that nothing is left."""

    def __init__(self) -> None:
        self.limit = 5000
        self.limit_of_nobody = 60
        self.enforced = False
        self._hours: dict[str, _Hour] = {}

    def use_up(self, payer: str, *, now: datetime, left: int = 0) -> None:
        """Leave a caller (empty: nobody) only so much of the hour."""
        self._hour(payer, now).used = self._limit(payer) - left

    def count(self, payer: str, *, now: datetime) -> bool:
        """Count a request; False if it is over the limit."""
        hour = self._hour(payer, now)
        if hour.used >= self._limit(payer):
            return not self.enforced
        hour.used += 1
        return True

    def give_back(self, payer: str, *, now: datetime) -> None:
        """An answer that nothing was modified is free."""
        hour = self._hour(payer, now)
        hour.used = max(0, hour.used - 1)

    def headers(self, payer: str, *, now: datetime) -> Mapping[str, str]:
        hour, limit = self._hour(payer, now), self._limit(payer)
        return {
            "x-ratelimit-limit": str(limit),
            "x-ratelimit-remaining": str(limit - hour.used),
            "x-ratelimit-used": str(hour.used),
            "x-ratelimit-reset": str(int(hour.ends_at.timestamp())),
            "x-ratelimit-resource": "core",
        }

    def _limit(self, payer: str) -> int:
        return self.limit if payer else self.limit_of_nobody

    def _hour(self, payer: str, now: datetime) -> _Hour:
        hour = self._hours.get(payer)
        if hour is None or now >= hour.ends_at:
            hour = self._hours[payer] = _Hour(now + HOUR)
        return hour
