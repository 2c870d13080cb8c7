"""Outcomes of one test across jobs, runs and commits, read from the packed vectors."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from app.domain.evidence import Observation
from app.domain.ids import Sha, TreeSha
from app.domain.outcome import OutcomeKind
from app.domain.run import TESTS_THE_PUSHED_COMMIT, Conclusion
from app.domain.run_vector import RunVector
from app.store import results
from app.store.run_values import JobExecution, StoredAttempt
from app.store.runs import AttemptRow, JobRow, RunRow, VariantRow, job_executions

MOST_EXECUTIONS = 400

Where = tuple[ColumnElement[bool], ...]


class Observations:
    """Reads within one session, each question and each vector once: failures of one job ask the same."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._vectors: dict[int, RunVector | None] = {}
        self._answers: dict[tuple[object, ...], list[JobExecution]] = {}
        self._executions: dict[int, JobExecution] = {}
        self._greens: dict[tuple[object, ...], Sha | None] = {}
        self._tallies: dict[tuple[int, str], tuple[int, int]] = {}

    def execution(self, job: int) -> JobExecution:
        if job not in self._executions:
            self._remember([job])
        return self._executions[job]

    def of_test(self, test: int, executions: Iterable[JobExecution]) -> tuple[Observation, ...]:
        """What the test did in each of these jobs; a job without a result of it gives none."""
        ran = list(executions)
        self._load([execution.job.id for execution in ran])
        found = []
        for execution in ran:
            vector = self._vectors[execution.job.id]
            outcome = vector.outcome_of(test) if vector else None
            if outcome is not None:
                found.append(observe(execution, outcome))
        return tuple(found)

    def same_code(self, repo: int, execution: JobExecution) -> list[JobExecution]:
        """Other executions of this variant at the same head SHA, or on the same tree, in any event."""
        job, head = execution.job, execution.attempt.head_sha

        def where() -> Where:
            same = RunRow.head_sha == head
            if job.tested.tree is not None:
                same = or_(same, JobRow.tested_tree == job.tested.tree)
            return RunRow.repo_id == repo, JobRow.variant_id == job.variant_id, same, JobRow.id != job.id

        return self._ask(("same code", job.id), where, limit=MOST_EXECUTIONS)

    def siblings(self, execution: JobExecution) -> list[JobExecution]:
        """The other variants of the same attempt."""
        job = execution.job

        def where() -> Where:
            return JobRow.attempt_id == job.attempt, JobRow.variant_id != job.variant_id

        return self._ask(("siblings", job.attempt, job.variant_id), where, limit=MOST_EXECUTIONS)

    def at_head(self, repo: int, variant: int, head: Sha) -> list[JobExecution]:
        def where() -> Where:
            return RunRow.repo_id == repo, RunRow.head_sha == head, JobRow.variant_id == variant

        return self._ask(("head", variant, head), where, limit=MOST_EXECUTIONS)

    def on_branch(
        self, repo: int, variant: int, branch: str, *, until: datetime, limit: int
    ) -> list[JobExecution]:
        """Executions on a branch's own commits that began until then, newest first."""

        def where() -> Where:
            return *_on_branch(repo, variant, branch), AttemptRow.started_at <= until

        return self._ask(("branch", variant, branch, until, limit), where, limit=limit)

    def on_branch_after(
        self, repo: int, variant: int, branch: str, *, after: datetime, limit: int
    ) -> list[JobExecution]:
        """Executions on a branch's own commits that began later, newest first; the earliest are kept."""

        def where() -> Where:
            return *_on_branch(repo, variant, branch), AttemptRow.started_at > after

        return self._ask(("after", variant, branch, after, limit), where, limit=limit, oldest=True)

    def on_trees(self, repo: int, trees: Collection[TreeSha], *, not_at: Sha) -> list[JobExecution]:
        where = (RunRow.repo_id == repo, JobRow.tested_tree.in_(list(trees)), RunRow.head_sha != not_at)
        return job_executions(self._session, *where, limit=MOST_EXECUTIONS)

    def began(self, repo: int, execution: JobExecution) -> datetime:
        """When this variant first ran at this head: what came before it is the past of all its attempts."""
        same = self.at_head(repo, execution.job.variant_id, execution.attempt.head_sha)
        return min(one.attempt.started_at for one in (execution, *same))

    def tallies(self, attempt: int, variant: str) -> tuple[int, int]:
        """Tests reported and red in one variant of one attempt, its shards together."""
        if (attempt, variant) not in self._tallies:
            where = (JobRow.attempt_id == attempt, VariantRow.name == variant)
            jobs = [execution.job.id for execution in job_executions(self._session, *where, limit=256)]
            counted = results.tallies(self._session, jobs).values()
            sums = sum(count for count, _ in counted), sum(red for _, red in counted)
            self._tallies[attempt, variant] = sums
        return self._tallies[attempt, variant]

    def last_green(self, before: StoredAttempt, branch: str) -> Sha | None:
        """The head of the newest success of the same workflow on a branch, other than that of `before`."""
        question = (before.workflow_id, branch, before.started_at, before.head_sha)
        if question not in self._greens:
            statement = (
                select(RunRow.head_sha)
                .join(AttemptRow, AttemptRow.run_id == RunRow.id)
                .where(RunRow.repo_id == before.repo, RunRow.head_branch == branch)
                .where(RunRow.event.in_(TESTS_THE_PUSHED_COMMIT), RunRow.workflow_id == before.workflow_id)
                .where(RunRow.head_sha != before.head_sha, AttemptRow.conclusion == Conclusion.SUCCESS.value)
                .where(RunRow.created_at <= before.started_at, AttemptRow.started_at <= before.started_at)
                .order_by(RunRow.created_at.desc(), AttemptRow.id.desc())
                .limit(1)
            )
            found = self._session.scalars(statement).one_or_none()
            self._greens[question] = None if found is None else Sha(found)
        return self._greens[question]

    def _ask(
        self, question: tuple[object, ...], where: Callable[[], Where], *, limit: int, oldest: bool = False
    ) -> list[JobExecution]:
        """Ask for keys first: most of the executions are known from another question.

        `where` is called only for what was not asked before: to build a condition takes longer than to look.
        """
        if question not in self._answers:
            keys = job_keys(self._session, *where(), limit=limit, oldest=oldest)
            missing = [key for key in keys if key not in self._executions]
            if missing:
                self._remember(missing)
            self._answers[question] = [self._executions[key] for key in keys]
        return self._answers[question]

    def _remember(self, jobs: Sequence[int]) -> None:
        found = job_executions(self._session, JobRow.id.in_(jobs), limit=len(jobs))
        self._executions |= {one.job.id: one for one in found}

    def _load(self, jobs: Sequence[int]) -> None:
        missing = [job for job in jobs if job not in self._vectors]
        if missing:
            found = results.vectors(self._session, missing)
            self._vectors |= {job: found.get(job) for job in missing}


def _on_branch(repo: int, variant: int, branch: str) -> Where:
    return (
        RunRow.repo_id == repo,
        RunRow.head_branch == branch,
        RunRow.event.in_(TESTS_THE_PUSHED_COMMIT),
        JobRow.variant_id == variant,
    )


def job_keys(session: Session, *where: ColumnElement[bool], limit: int, oldest: bool = False) -> list[int]:
    """Our keys of jobs, those of the newest attempts first; `oldest` keeps the oldest within the limit."""
    order = (AttemptRow.started_at, JobRow.id)
    statement = (
        select(JobRow.id)
        .join(AttemptRow, AttemptRow.id == JobRow.attempt_id)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .where(*where)
        .order_by(*(order if oldest else (column.desc() for column in order)))
        .limit(limit)
    )
    keys = list(session.scalars(statement))
    return keys[::-1] if oldest else keys


def observe(execution: JobExecution, outcome: OutcomeKind) -> Observation:
    job, attempt = execution.job, execution.attempt
    return Observation(
        run=attempt.run,
        attempt=attempt.attempt,
        job_id=job.github_id,
        job=job.name,
        variant=job.variant,
        event=attempt.event,
        sha=attempt.head_sha,
        branch=attempt.head_branch,
        pull=attempt.pull,
        outcome=outcome,
        tested=job.tested,
        at=job.started_at or attempt.started_at,
        url=job.url,
    )
