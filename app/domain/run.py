"""GitHub's runs, attempts and jobs, in our words."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.ids import JobId, RepoName, RunId, Sha


class Conclusion(StrEnum):
    """Values of a run's or a job's `conclusion` (docs.github.com, REST, workflow runs)."""

    SUCCESS = "success"
    FAILURE = "failure"
    NEUTRAL = "neutral"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    TIMED_OUT = "timed_out"
    ACTION_REQUIRED = "action_required"
    STALE = "stale"
    STARTUP_FAILURE = "startup_failure"

    @property
    def is_red(self) -> bool:
        return self in {Conclusion.FAILURE, Conclusion.TIMED_OUT, Conclusion.STARTUP_FAILURE}

    @property
    def decides(self) -> bool:
        """Whether it proves anything: what was cancelled, skipped or neutral is neither green nor red."""
        return self.is_red or self is Conclusion.SUCCESS


def attempt_conclusion(jobs: Iterable[Conclusion]) -> Conclusion:
    """The worst of its jobs; with a cancelled one it is no success, after which a branch would be green."""
    told = set(jobs)
    if any(conclusion.is_red for conclusion in told):
        return Conclusion.FAILURE
    return Conclusion.CANCELLED if Conclusion.CANCELLED in told else Conclusion.SUCCESS


TESTS_THE_PUSHED_COMMIT = frozenset({"push", "merge_group", "workflow_dispatch", "schedule"})
"""Events whose run checks out `head_sha` itself."""

TESTS_A_MERGE = "pull_request"
"""The event whose run checks out a merge of head into base, by default."""


@dataclass(frozen=True, slots=True)
class PullHint:
    """An entry of a run's `pull_requests`; `base_sha` is often stale and proves nothing."""

    number: int
    head_sha: Sha
    base_ref: str


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """One attempt of one run: `conclusion`, `started_at` and `completed_at` are that attempt's."""

    id: RunId
    repo: RepoName
    attempt: int
    workflow_id: int
    workflow: str
    event: str
    head_sha: Sha
    head_branch: str | None
    conclusion: Conclusion | None
    started_at: datetime
    completed_at: datetime
    actor: str | None
    from_fork: bool
    pulls: tuple[PullHint, ...]
    url: str
    head_owner: str | None = None
    """Owner of the repository that holds the head; None once a fork is deleted."""


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run as a list tells of it: its latest attempt, whatever that attempt's conclusion is called.

    `created_at` is the run's and stays through re-runs; `started_at` and `updated_at` are the attempt's.
    """

    id: RunId
    repo: RepoName
    attempt: int
    workflow: str
    event: str
    head_sha: Sha
    head_branch: str | None
    is_completed: bool
    created_at: datetime
    started_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Job:
    """One execution of a job; `conclusion` is None while it is not finished."""

    id: JobId
    run_id: RunId
    attempt: int
    name: str
    conclusion: Conclusion | None
    started_at: datetime | None
    completed_at: datetime | None
    runner: str | None
    labels: tuple[str, ...]
    failed_step: str | None
    url: str
    variant: str | None = None
    shard: str | None = None
    """Both where somebody said so; otherwise they are read from the name."""


@dataclass(frozen=True, slots=True)
class PullRequest:
    """`head_sha` is today's head; `merged_at` is None unless it was merged."""

    number: int
    title: str
    author: str | None
    head_sha: Sha
    head_branch: str
    base_branch: str
    is_open: bool
    merged_at: datetime | None
