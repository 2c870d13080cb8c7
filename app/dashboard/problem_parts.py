"""The parts of what needs a look: what a template may read of a task, a delivery, a refusal or a gap."""

from dataclasses import dataclass
from datetime import datetime

from app.dashboard.parts import Gap, Link, Mark


@dataclass(frozen=True, slots=True)
class DeadLetter:
    key: str
    stage: str
    tries: str
    error: str
    buried_at: datetime
    retry_href: str


@dataclass(frozen=True, slots=True)
class WaitingTask:
    """A task between two tries; `next_at` is None where that was not noted."""

    key: str
    stage: str
    tries: str
    error: str
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class Delivery:
    mark: Mark
    what: str
    repo: str
    note: str
    guid: str
    seen: str
    received_at: datetime


@dataclass(frozen=True, slots=True)
class Refusal:
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class KnownGap:
    gap: Gap
    repo: str
    run: Link
    noted_at: datetime


@dataclass(frozen=True, slots=True)
class WatchedRepo:
    """A repository whose list of runs is looked at; `said` is what needs a look, or what the last one found.

    `looked_at` is None before the first look that succeeded.
    """

    repo: str
    mark: Mark
    said: str
    looked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Trouble:
    """One line of what needs a look, leading to its rows."""

    link: Link
    detail: str
    mark: Mark
