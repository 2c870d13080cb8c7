"""One frozen dataclass for each page: all that its template may read."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from app.dashboard.charts import DayChart, GridChart
from app.dashboard.parts import Attempt, Badge, Choice, Commit, Gap, Link, Mark, Ruling, Text
from app.dashboard.problem_parts import (
    DeadLetter,
    Delivery,
    KnownGap,
    Refusal,
    Trouble,
    WaitingTask,
    WatchedRepo,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the frame around every page reads. `section` names the entry of the menu that is current."""

    template: ClassVar[str]
    title: str
    section: str
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class RedTest:
    """One failing test of a red branch, once for all jobs in which it failed alike."""

    name: Link
    failure: Link
    badge: Badge
    jobs: str
    note: str
    because: tuple[str, ...]
    next_step: str
    """Empty where one answer for all of them stands elsewhere on the page, or nothing is judged."""


@dataclass(frozen=True, slots=True)
class RedBranch:
    """Why, since when and whose: the answers of the first screen."""

    sentence: str
    tests: tuple[RedTest, ...]
    more: Link | None
    since_at: datetime
    since: Attempt
    since_is_exact: bool
    last_green: Attempt | None
    commits: tuple[Commit, ...]
    commits_note: str
    next_step: str
    alert: Link | None
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, slots=True)
class Episode:
    """The newest episode of red in one line, of a branch of which nothing is red now."""

    sentence: str
    alert: Link | None


@dataclass(frozen=True, slots=True)
class Branch:
    repo: str
    name: str
    mark: Mark
    headline: str
    newest: Attempt | None
    red: RedBranch | None
    episode: Episode | None
    """Of a branch that is not red; None if it never was."""
    strip: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class RedRun:
    """A red run anywhere, with its failures in one sentence."""

    attempt: Attempt
    sentence: str
    badges: tuple[Badge, ...]


@dataclass(frozen=True, slots=True)
class Beginning:
    """What to do when nothing is there yet; `heard` says what has come so far."""

    webhook_url: str
    is_signed: bool
    heard: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MainPage(Page):
    template: ClassVar[str] = "main.html"
    only: str
    """The one repository that the address asks for; empty for all."""
    branches: tuple[Branch, ...]
    red_runs: tuple[RedRun, ...]
    troubles: tuple[Trouble, ...]
    beginning: Beginning | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PullPage(Page):
    template: ClassVar[str] = "pull.html"
    repo: str
    subject: str
    mark: Mark
    github: Link
    comment: Link | None
    commit: Link
    sentence: str
    pushed_since: str
    tests: tuple[RedTest, ...]
    doubts: tuple[RedTest, ...]
    """Tests that failed at any head and were not seen to pass since, where nothing is red now."""
    passed_over: tuple[RedTest, ...]
    """Tests that failed in runs that are green all the same."""
    gaps: tuple[Gap, ...]
    runs: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class PullLine:
    """A red pull request; `state` is what was last heard of it, empty for an open one."""

    link: Link
    repo: str
    subject: str
    state: str
    mark: Mark
    sentence: str
    badges: tuple[Badge, ...]
    commit: Link
    completed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PullsPage(Page):
    template: ClassVar[str] = "pulls.html"
    pulls: tuple[PullLine, ...]
    left_out: str


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TestsPage(Page):
    __test__: ClassVar[bool] = False

    template: ClassVar[str] = "tests.html"
    filters: TestFilters
    columns: tuple[Column, ...]
    lines: tuple[TestLine, ...]
    summary: str
    following: Link | None
    is_later_page: bool
    rate_note: str


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


@dataclass(frozen=True, slots=True)
class File:
    """A kept file; `job` is left empty where the page is of one job or test anyway."""

    link: Link
    what: str
    job: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TestPage(Page):
    __test__: ClassVar[bool] = False

    template: ClassVar[str] = "test.html"
    label: str
    repo: str
    place: str
    badge: Badge
    windows: tuple[Choice, ...]
    figures: tuple[Figure, ...]
    days: DayChart | None
    grid: GridChart | None
    modes: tuple[Mode, ...]
    rank_logs: tuple[File, ...]
    left_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailurePage(Page):
    template: ClassVar[str] = "failure.html"
    name: Link
    heading: str
    badge: Badge
    observation: Observation
    rulings: tuple[Ruling, ...]
    text: Text
    rank_logs: tuple[File, ...]


@dataclass(frozen=True, slots=True)
class Job:
    mark: Mark
    link: Link
    tests: str
    tree: str
    failed_step: str


@dataclass(frozen=True, slots=True)
class RunFailure:
    name: Link
    failure: Link
    badge: Badge
    job: Link


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage(Page):
    template: ClassVar[str] = "run.html"
    attempt: Attempt
    attempts: tuple[Attempt, ...]
    state: str
    jobs: tuple[Job, ...]
    failures: tuple[RunFailure, ...]
    none_failed: str
    """What it means that no failure is listed."""
    left_out: str
    gaps: tuple[Gap, ...]
    files: tuple[File, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePage(Page):
    template: ClassVar[str] = "file.html"
    path: str
    what: str
    download: Link
    attempt: Attempt
    text: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemsPage(Page):
    template: ClassVar[str] = "problems.html"
    told: str
    token: str
    waiting: str
    dead_letters: tuple[DeadLetter, ...]
    waiting_tasks: tuple[WaitingTask, ...]
    refusals: tuple[Refusal, ...]
    refused: str
    deliveries: tuple[Delivery, ...]
    delivery_choices: tuple[Choice, ...]
    watched: tuple[WatchedRepo, ...]
    gaps: tuple[KnownGap, ...]
    following: Link | None


@dataclass(frozen=True, slots=True)
class Report:
    """A comment or an alert; `place` is where it stands on GitHub, with an older text unless `is_posted`."""

    what: str
    repo: str
    is_posted: bool
    place: Link | None
    at: datetime
    text: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportsPage(Page):
    template: ClassVar[str] = "reports.html"
    posts: bool
    reports: tuple[Report, ...]
    shown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentPage(Page):
    """The answer where nothing is."""

    template: ClassVar[str] = "absent.html"
    sentence: str
