"""Attempts, jobs and executions as they leave the store: values, with our own keys beside GitHub's ids."""

from dataclasses import dataclass
from datetime import datetime

from app.domain.ids import JobId, RepoName, RunId, Sha
from app.domain.run import Conclusion
from app.domain.tested_tree import TestedTree


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """One attempt with its run; `id` is our key of the attempt."""

    id: int
    run_key: int
    repo: int
    repo_name: RepoName
    run: RunId
    attempt: int
    workflow_id: int
    workflow: str
    event: str
    head_sha: Sha
    head_branch: str | None
    pull: int | None
    from_fork: bool
    conclusion: Conclusion | None
    started_at: datetime
    completed_at: datetime
    recorded_at: datetime
    """When we first heard of its end, by our own clock; the other times are GitHub's."""
    url: str
    is_judged: bool
    """Before that, its failures have no verdicts yet, and nothing should be told of it."""
    is_stripped: bool = False
    """Its texts and run vectors were past their time: what its tests did is not known any more."""


@dataclass(frozen=True, slots=True)
class StoredJob:
    """One job with the code it tested; `id` is our key of the job."""

    id: int
    attempt: int
    github_id: JobId
    name: str
    variant_id: int
    variant: str
    shard: str | None
    conclusion: Conclusion | None
    runner: str | None
    failed_step: str | None
    url: str
    started_at: datetime | None
    completed_at: datetime | None
    tested: TestedTree

    @property
    def is_adopted(self) -> bool:
        """Made up by us for results whose job is not known: GitHub has no log of it."""
        return self.github_id < 0


@dataclass(frozen=True, slots=True)
class JobExecution:
    job: StoredJob
    attempt: StoredAttempt
