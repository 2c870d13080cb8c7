"""First stage: read the run that a delivery names, and store it with its jobs and its pull request."""

import json

import structlog

from app.domain.commit_graph import ChangeSet
from app.domain.errors import Gone, Rejected, Unavailable
from app.domain.ids import DeliveryId, RepoName, RunId
from app.domain.run import TESTS_A_MERGE, TESTS_THE_PUSHED_COMMIT, Job, PullRequest, WorkflowRun
from app.github.client import GitHub
from app.store import changes, commits, inbox, recording, repos, seen_jobs, workflows
from app.store.outbox import Order, ask
from app.store.session import read_only, unit_of_work
from worker.deps import Deps, Payload
from worker.fetching.attempt_order import attempt_order
from worker.fetching.known_commits import known_commit
from worker.housekeeping.horizon import Horizon

log = structlog.get_logger(__name__)

LISTED_COMMITS = 250
"""GitHub lists no more commits of one pull request (docs.github.com, REST, "List commits")."""


def record_run(deps: Deps, payload: Payload) -> None:
    """The delivery is only a hint: everything is read again from the API. Safe to repeat.

    The payload names a delivery, or else the run and its attempt. An attempt that is recorded, because the
    list of runs told of it before its delivery came or the reverse, is not read again.
    """
    if "delivery" in payload:
        repo, run_id, attempt = _named_run(deps, DeliveryId(payload["delivery"]))
    else:
        repo, run_id, attempt = RepoName(payload["repo"]), RunId(payload["run"]), payload["attempt"]
    structlog.contextvars.bind_contextvars(run=run_id)
    if not _is_recorded(deps, repo, run_id, attempt):
        record_attempt(deps, repo, run_id, attempt)


def _is_recorded(deps: Deps, repo: RepoName, run_id: RunId, attempt: int) -> bool:
    """What follows from it was ordered with it, in one transaction."""
    with read_only(deps.store) as session:
        key = repos.key_of(session, repo)
        return key is not None and seen_jobs.knows_attempt(session, key, run_id, attempt)


def record_attempt(deps: Deps, repo: RepoName, run_id: RunId, attempt: int) -> None:
    """Store the attempt, and order the one before it where that was never heard of.

    One that is past its time was read before and removed, or would be removed at once: it is passed over.
    """
    run = deps.github.run_attempt(repo, run_id, attempt)
    if run.conclusion is None:
        raise Unavailable(f"run {run_id}", "GitHub does not show its conclusion yet")
    if run.completed_at < Horizon.seen_from(deps.clock.now(), deps.settings).failures:
        log.info("passed over a run that is past its time", run=run_id, attempt=attempt)
        return
    jobs = _own_jobs(deps.github, run)
    facts = deps.github.repository(repo)
    pull = _pull_of(deps.github, run, facts.default_branch)
    change = _change_of(deps.github, run, pull) if pull else None
    now = deps.clock.now()
    with unit_of_work(deps.store) as session:
        key = repos.remember(session, run.repo, github_id=facts.id, default_branch=facts.default_branch)
        workflows.adopt(session, key, run.workflow_id, run.workflow)
        if pull is not None:
            repos.remember_pull(session, key, pull)
        if change is not None:
            own, listed = change
            changes.remember(session, key, own)
            commits.remember(session, key, listed)
        jobs = seen_jobs.keep_timed_out(session, key, run, jobs)
        stored = recording.record_attempt(
            session, key, run, jobs, pull=pull.number if pull else None, recorded_at=now
        )
        ask(session, Order(f"fetch:{stored}", "fetch_artifacts", {"schema": 1, "attempt": stored}))
        if attempt > 1 and not seen_jobs.knows_attempt(session, key, run_id, attempt - 1):
            # A partial re-run leaves jobs as they were in an attempt whose delivery may have been lost.
            ask(session, attempt_order(key, run.repo, run_id, attempt - 1))


def _own_jobs(github: GitHub, run: WorkflowRun) -> list[Job]:
    """After a partial re-run, jobs that were not repeated can be listed again, under new ids.

    Such a copy has the name and the start of a job that the attempt before lists too; where nothing can be
    compared, a job is kept rather than lost.
    """
    jobs = list(github.jobs(run.repo, run.id, run.attempt))
    is_old = any(job.started_at is not None and job.started_at < run.started_at for job in jobs)
    if run.attempt == 1 or not is_old:
        return jobs
    try:
        before = {(job.name, job.started_at) for job in github.jobs(run.repo, run.id, run.attempt - 1)}
    except Gone:
        return jobs
    return [job for job in jobs if job.started_at is None or (job.name, job.started_at) not in before]


def _named_run(deps: Deps, guid: DeliveryId) -> tuple[RepoName, RunId, int]:
    with read_only(deps.inbox) as session:
        delivery = inbox.by_guid(session, guid)
    if delivery is None:
        raise Rejected(f"delivery {guid}", "it is not in the inbox")
    body = json.loads(delivery.body)
    run = body["workflow_run"]
    return RepoName(body["repository"]["full_name"]), RunId(run["id"]), run["run_attempt"]


def _pull_of(github: GitHub, run: WorkflowRun, default_branch: str) -> PullRequest | None:
    """The pull request whose head this run tested; None for the default branch and for other events.

    The run's own hints are empty for forks, so heads are looked up by branch and matched by SHA.
    """
    if run.event != TESTS_A_MERGE and run.event not in TESTS_THE_PUSHED_COMMIT:
        return None
    if run.event != TESTS_A_MERGE and (
        run.head_branch in {None, default_branch} or run.event == "merge_group"
    ):
        return None
    try:
        for hint in run.pulls:
            if hint.head_sha == run.head_sha or run.event == TESTS_A_MERGE:
                return github.pull(run.repo, hint.number)
        owner = run.head_owner
        if owner is None or run.head_branch is None:
            return None
        found = github.pulls_with_head(run.repo, owner, run.head_branch)
    except Gone:
        return None
    matching = [pull for pull in found if pull.head_sha == run.head_sha] or (
        [pull for pull in found if pull.is_open] if run.event == TESTS_A_MERGE else []
    )
    return min(matching, key=lambda pull: (not pull.is_open, pull.number), default=None)


def _change_of(
    github: GitHub, run: WorkflowRun, pull: PullRequest
) -> tuple[ChangeSet, list[commits.CommitFacts]] | None:
    """The commits that are this head's own, from the pull request's list up to the head that was tested.

    None where the list does not hold that head, because it was pushed over since: then nothing is known
    to lack the change.
    """
    try:
        listed = github.pull_commits(run.repo, pull.number)
    except Gone:
        return None
    shas = [commit.sha for commit in listed]
    if run.head_sha not in shas:
        return None
    own = listed[: shas.index(run.head_sha) + 1]
    change = ChangeSet(
        head=run.head_sha,
        base=None,
        own=frozenset(commit.sha for commit in own),
        complete=len(listed) < LISTED_COMMITS,
    )
    return change, [known_commit(commit, pull=pull.number) for commit in own]
