"""The parts of what is red: what a template may read of a branch, a run or a pull request."""

from dataclasses import dataclass
from datetime import datetime

from app.dashboard.parts import Attempt, Badge, Commit, Gap, Link, Mark


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
