"""The parts of what is known of tests: a line of their list, and the failure modes of one."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from app.dashboard.parts import Attempt, Badge, Choice, Link, Mark, Ruling, Text


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the list: its heading, the address that sorts by it, and whether it does now."""

    name: str
    href: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class TestLine:
    __test__: ClassVar[bool] = False

    name: Link
    repo: str
    badge: Badge
    failures: int
    modes: str
    flips: int
    same_tree: str
    red: int | None
    ran: int | None
    last_seen_at: datetime


@dataclass(frozen=True, slots=True)
class TestFilters:
    """The form above the list; every field is a parameter of the address."""

    __test__: ClassVar[bool] = False

    repos: tuple[Choice, ...]
    branches: tuple[Choice, ...]
    kinds: tuple[Choice, ...]
    windows: tuple[Choice, ...]
    search: str
    sort: str
    is_narrowed: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """The test in one job of one attempt, and which code that job tested."""

    mark: Mark
    attempt: Attempt
    job: Link
    tree: str
    failure: Link | None
    badge: Badge | None


@dataclass(frozen=True, slots=True)
class Change:
    """A verdict in the history of a failure mode."""

    at: datetime
    badge: Badge
    failure: Link


@dataclass(frozen=True, slots=True)
class Mode:
    """One group: the failures of this test with one signature."""

    anchor: str
    title: str
    category: str
    opaque: bool
    failures: str
    first_seen_at: datetime
    last_seen_at: datetime
    ruling: Ruling | None
    observations: tuple[Observation, ...]
    history: tuple[Change, ...]
    text: Text
    newest: Link


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its name and the place that shows the rows behind it."""

    name: str
    value: str
    note: str
    href: str
