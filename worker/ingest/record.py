"""Store one unit's run, attempt, jobs, files and commits, in the shape that GitHub's runs are stored in."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.domain.commit_graph import ChangeSet
from app.domain.gap import Gap
from app.domain.ids import JobId, RunId
from app.domain.run import (
    TESTS_THE_PUSHED_COMMIT,
    Conclusion,
    Job,
    PullRequest,
    WorkflowRun,
    attempt_conclusion,
)
from app.domain.tested_tree import TestedTree
from app.store import (
    artifacts,
    blobs,
    changes,
    commits,
    gaps,
    known_attempt,
    recording,
    repos,
    runs,
    workflows,
)
from app.store.artifacts import SourceFile
from app.store.known_attempt import KnownAttempt
from worker.ingest.manifest import Entry
from worker.ingest.sources import LocalFile


@dataclass(frozen=True, slots=True)
class TakenEntry:
    """An entry with all that was read from its files and found out about the code it tested."""

    entry: Entry
    job: JobId
    files: tuple[LocalFile, ...]
    tested: TestedTree
    gaps: tuple[Gap, ...]


def record_unit(
    session: Session, repo: int, taken: Sequence[TakenEntry], known: KnownAttempt | None, *, site: str
) -> tuple[int, list[int]]:
    """Return our keys of the attempt and of the jobs. Safe to repeat; `site` begins the addresses of runs.

    What an earlier unit stored of the same attempt counts on: its end and its conclusion cover all its jobs.
    """
    first = taken[0].entry
    if first.pull is not None:
        _remember_pull(session, repo, first, first.pull)
    _remember_code(session, repo, first)
    run = _run(session, repo, [one.entry for one in taken], known, site)
    attempt = recording.record_attempt(
        session, repo, run, _jobs(taken, site), pull=first.pull, recorded_at=run.completed_at
    )
    known_attempt.reopen(session, attempt)
    keys = {job.github_id: job.id for job in runs.jobs_of(session, attempt)}
    for one in taken:
        job = keys[one.job]
        blobs.keep(session, *(file.blob for file in one.files))
        artifacts.add_files(session, attempt, [_source(job, file) for file in one.files])
        gaps.note(session, attempt, job, one.gaps, at=run.completed_at)
        recording.set_tested_tree(session, job, one.tested)
    return attempt, sorted({keys[one.job] for one in taken})


def _source(job: int, file: LocalFile) -> SourceFile:
    return SourceFile(job, file.origin, file.path, file.kind, file.blob.digest, file.cut)


def _run(
    session: Session, repo: int, entries: Sequence[Entry], known: KnownAttempt | None, site: str
) -> WorkflowRun:
    first = entries[0]
    started = [entry.started_at for entry in entries]
    ended = [entry.ended_at for entry in entries]
    if known is not None:
        started.append(known.attempt.started_at)
        ended.append(known.attempt.completed_at)
    return WorkflowRun(
        id=RunId(first.run),
        repo=first.repo,
        attempt=first.attempt,
        workflow_id=workflows.id_of(session, repo, first.workflow),
        workflow=first.workflow,
        event=first.event,
        head_sha=first.sha,
        head_branch=None if first.branch is None else first.branch[:300],
        conclusion=_conclusion(entries, known),
        started_at=min(started),
        completed_at=max(ended),
        actor=None if first.actor is None else first.actor[:100],
        from_fork=False,
        pulls=(),
        url=f"{site}/{first.repo}/actions/runs/{first.run}/attempts/{first.attempt}",
    )


def _conclusion(entries: Sequence[Entry], known: KnownAttempt | None) -> Conclusion | None:
    told = attempt_conclusion(entry.conclusion for entry in entries)
    if not told.is_red and known is not None and known.attempt.conclusion is not Conclusion.SUCCESS:
        return known.attempt.conclusion
    return told


def _jobs(taken: Sequence[TakenEntry], site: str) -> list[Job]:
    """One for each execution, however many entries tell of it; red if any of them says so."""
    jobs: dict[JobId, Job] = {}
    for one in taken:
        entry, before = one.entry, jobs.get(one.job)
        run = f"{site}/{entry.repo}/actions/runs/{entry.run}"
        jobs[one.job] = Job(
            id=one.job,
            run_id=RunId(entry.run),
            attempt=entry.attempt,
            name=entry.job,
            conclusion=before.conclusion if before and _is_red(before) else entry.conclusion,
            started_at=entry.started_at,
            completed_at=entry.ended_at,
            runner=None if entry.runner is None else entry.runner[:200],
            labels=(),
            failed_step=None,
            url=f"{run}/job/{one.job}" if one.job > 0 else run,
            variant=entry.variant,
            shard=entry.shard,
        )
    return list(jobs.values())


def _is_red(job: Job) -> bool:
    return job.conclusion is not None and job.conclusion.is_red


def _remember_pull(session: Session, repo: int, entry: Entry, number: int) -> None:
    """Only where GitHub has not told more: an entry knows neither title nor whether it is still open."""
    if repos.pull(session, repo, number) is None:
        pull = PullRequest(
            number=number,
            title="",
            author=None if entry.actor is None else entry.actor[:100],
            head_sha=entry.sha,
            head_branch=(entry.branch or "")[:300],
            base_branch=repos.default_branch(session, repo),
            is_open=False,
            merged_at=None,
        )
        repos.remember_pull(session, repo, pull)


def _remember_code(session: Session, repo: int, entry: Entry) -> None:
    if entry.event in TESTS_THE_PUSHED_COMMIT and entry.parents is not None:
        facts = commits.CommitFacts(sha=entry.sha, tree=entry.tree, parents=entry.parents)
        commits.remember(session, repo, [facts])
    if entry.base_sha is not None and entry.base_sha != entry.sha:
        own = frozenset({entry.sha})
        changes.remember(session, repo, ChangeSet(entry.sha, entry.base_sha, own, complete=False))
