"""Requests to the webhook that were turned away, the newest of this process, for people to see why."""

from collections import deque
from dataclasses import dataclass
from datetime import datetime
from typing import Final

REFUSALS_KEPT: Final = 20


@dataclass(frozen=True, slots=True)
class Refusal:
    """`reason` is in our words; nothing of it is in the sender's."""

    at: datetime
    reason: str


class Refusals:
    """They leave no row: anyone can send them, and a database should not grow with what strangers send.

    A person who gave GitHub another secret than ours still has to see why nothing comes in.
    """

    def __init__(self) -> None:
        self.count = 0
        self._newest: deque[Refusal] = deque(maxlen=REFUSALS_KEPT)

    def note(self, refusal: Refusal) -> None:
        self.count += 1
        self._newest.appendleft(refusal)

    def newest(self) -> tuple[Refusal, ...]:
        """At most 20, newest first."""
        return tuple(self._newest.copy())
