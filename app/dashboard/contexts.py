"""One frozen dataclass for each page: all that its template may read."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from app.dashboard.branch_parts import Branch, PullLine, RedRun, RedTest
from app.dashboard.charts import DayChart, GridChart
from app.dashboard.evidence_parts import Replay, Weaknesses
from app.dashboard.parts import Attempt, Badge, Choice, Gap, Link, Mark, Ruling, Text
from app.dashboard.problem_parts import (
    DeadLetter,
    Delivery,
    KnownGap,
    Refusal,
    Trouble,
    WaitingTask,
    WatchedRepo,
)
from app.dashboard.tests_parts import Column, Figure, Mode, Observation, TestFilters, TestLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the frame around every page reads. `section` names the entry of the menu that is current."""

    template: ClassVar[str]
    title: str
    section: str
    asked_at: datetime


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PullsPage(Page):
    template: ClassVar[str] = "pulls.html"
    pulls: tuple[PullLine, ...]
    left_out: str


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
    replays: tuple[Replay, ...]
    weaknesses: Weaknesses | None
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
    cause: str
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
    replays: tuple[Replay, ...]
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
    looks: bool
    """Whether lists of runs are looked at at all."""
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
    is_alert: bool
    """Its time is that of the run it tells of, and not of the telling."""
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
