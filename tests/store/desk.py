"""Rows that others can refer to: a repository, and attempts with jobs in it."""

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from app.domain.ids import JobId, RepoName, RunId, Sha
from app.domain.run import Conclusion, Job, WorkflowRun
from app.store import recording, runs
from app.store.run_values import StoredAttempt, StoredJob

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Desk:
    """A session in one open transaction, with a repository to write to."""

    session: Session
    repo: int

    def attempt(
        self, run: int = 1, number: int = 1, *, jobs: tuple[str, ...] = ("test",), workflow_id: int = 5
    ) -> StoredAttempt:
        told = WorkflowRun(
            id=RunId(run),
            repo=RepoName("octo/lib"),
            attempt=number,
            workflow_id=workflow_id,
            workflow="ci",
            event="push",
            head_sha=Sha("a" * 40),
            head_branch="main",
            conclusion=Conclusion.FAILURE,
            started_at=NOON,
            completed_at=NOON,
            actor=None,
            from_fork=False,
            pulls=(),
            url="https://github.com/octo/lib/actions/runs/1",
        )
        listed = [self.job(run * 100 + place, run, name) for place, name in enumerate(jobs)]
        key = recording.record_attempt(self.session, self.repo, told, listed, pull=None, recorded_at=NOON)
        return runs.attempt(self.session, key)

    def job(self, key: int, run: int, name: str) -> Job:
        return Job(
            id=JobId(key),
            run_id=RunId(run),
            attempt=1,
            name=name,
            conclusion=Conclusion.FAILURE,
            started_at=NOON,
            completed_at=NOON,
            runner=None,
            labels=("linux",),
            failed_step=None,
            url="https://github.com/octo/lib/actions/runs/1/job/1",
        )

    def stored_job(self, run: int = 1) -> StoredJob:
        return runs.jobs_of(self.session, self.attempt(run).id)[0]
