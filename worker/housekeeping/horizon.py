"""Before which instants things are past their time."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from app.settings import Settings


@dataclass(frozen=True, slots=True)
class Horizon:
    """What is older may go, unless it is needed. `now` is when that was asked."""

    now: datetime
    tasks: datetime
    deliveries: datetime
    raw: datetime
    failures: datetime

    @classmethod
    def seen_from(cls, now: datetime, settings: Settings) -> "Horizon":
        return cls(
            now=now,
            tasks=now - timedelta(days=settings.keep_tasks_days),
            deliveries=now - timedelta(days=settings.keep_deliveries_days),
            raw=now - timedelta(days=settings.keep_raw_days),
            failures=now - timedelta(days=settings.keep_failures_days),
        )
