"""Runs, attempts, jobs and artifacts as GitHub serves them."""

from datetime import timedelta

from app.standin.records import AnnotationRecord, Artifact, Attempt, Job, Run
from app.standin.shapes.accounts import Addresses, Json, instant, node_id, repository, user

RETENTION = timedelta(days=90)
FOREIGN_REPOSITORY = 990_001


def run(at: Addresses, record: Run, attempt: Attempt) -> Json:
    """One attempt of a run. Without a commit added for it, `head_commit` is null."""
    url = f"{at.api}/repos/{record.repository.name}/actions/runs/{record.id}"
    suite = 800_000 + record.id
    return {
        "id": record.id,
        "name": record.workflow.name,
        "node_id": node_id("WFR", record.id),
        "check_suite_id": suite,
        "check_suite_node_id": node_id("CS", suite),
        "head_branch": record.head_branch,
        "head_sha": record.head_sha,
        "path": record.workflow.path,
        "display_title": _title(record),
        "run_number": record.number,
        "run_attempt": attempt.number,
        "event": record.event,
        "status": attempt.status,
        "conclusion": attempt.conclusion,
        "workflow_id": record.workflow.id,
        "url": url,
        "html_url": f"{at.html}/{record.repository.name}/actions/runs/{record.id}",
        "pull_requests": _hints(at, record),
        "created_at": instant(record.created_at),
        "updated_at": instant(attempt.updated_at),
        "run_started_at": instant(attempt.started_at),
        "actor": user(at, record.actor),
        "triggering_actor": user(at, record.actor),
        "referenced_workflows": [],
        "previous_attempt_url": f"{url}/attempts/{attempt.number - 1}" if attempt.number > 1 else None,
        "jobs_url": f"{url}/jobs",
        "logs_url": f"{url}/logs",
        "check_suite_url": f"{at.api}/repos/{record.repository.name}/check-suites/{suite}",
        "artifacts_url": f"{url}/artifacts",
        "cancel_url": f"{url}/cancel",
        "rerun_url": f"{url}/rerun",
        "workflow_url": f"{at.api}/repos/{record.repository.name}/actions/workflows/{record.workflow.id}",
        "head_commit": _head_commit(record),
        "repository": repository(at, record.repository),
        "head_repository": _head_repository(at, record),
    }


def _title(record: Run) -> str:
    commit = record.repository.history.commits.get(record.head_sha)
    return commit.message.partition("\n")[0] if commit else record.workflow.name


def _head_commit(record: Run) -> Json | None:
    commit = record.repository.history.commits.get(record.head_sha)
    if commit is None:
        return None
    person = {"name": commit.author, "email": f"{commit.author}@example.com"}
    return {
        "id": commit.sha,
        "tree_id": commit.tree,
        "message": commit.message,
        "timestamp": instant(commit.at),
        "author": person,
        "committer": person,
    }


def _head_repository(at: Addresses, record: Run) -> Json | None:
    if record.fork_deleted:
        return None
    return repository(at, record.repository, fork_of=record.actor if record.from_fork else None)


def _hints(at: Addresses, record: Run) -> list[Json]:
    """Pull requests of ours as they are today, and those elsewhere that share the head."""
    ours = record.repository
    mine = [
        _hint(at, ours.id, ours.name, number, (pull.head_branch, pull.head_sha), pull.base_branch)
        for number, pull in ((number, ours.pulls[number]) for number in record.pulls)
    ]
    head = (record.head_branch or "", record.head_sha)
    return mine + [
        _hint(at, FOREIGN_REPOSITORY, "elsewhere/mirror", number, head, "main")
        for number in record.foreign_pulls
    ]


def _hint(at: Addresses, repo_id: int, repo: str, number: int, head: tuple[str, str], base: str) -> Json:
    where = {"id": repo_id, "url": f"{at.api}/repos/{repo}", "name": repo.partition("/")[2]}
    return {
        "id": repo_id * 1000 + number,
        "number": number,
        "url": f"{at.api}/repos/{repo}/pulls/{number}",
        "head": {"ref": head[0], "sha": head[1], "repo": where},
        "base": {"ref": base, "sha": "0" * 40, "repo": where},
    }


def job(at: Addresses, record: Job, of: Run) -> Json:
    url = f"{at.api}/repos/{of.repository.name}"
    status = "in_progress" if record.conclusion is None else "completed"
    return {
        "id": record.id,
        "run_id": record.run_id,
        "run_url": f"{url}/actions/runs/{record.run_id}",
        "run_attempt": record.attempt,
        "node_id": node_id("CR", record.id),
        "head_sha": of.head_sha,
        "url": f"{url}/actions/jobs/{record.id}",
        "html_url": f"{at.html}/{of.repository.name}/actions/runs/{record.run_id}/job/{record.id}",
        "status": status,
        "conclusion": record.conclusion,
        "created_at": instant(record.started_at),
        "started_at": instant(record.started_at),
        "completed_at": instant(record.completed_at),
        "name": record.name,
        "steps": _steps(record, status),
        "check_run_url": f"{url}/check-runs/{record.id}",
        "labels": list(record.labels),
        "runner_id": 1,
        "runner_name": record.runner,
        "runner_group_id": 1,
        "runner_group_name": "GitHub Actions",
        "workflow_name": of.workflow.name,
        "head_branch": of.head_branch,
    }


def annotation(at: Addresses, record: AnnotationRecord, of: Run) -> Json:
    """One of a whole job stands at no line of any file: GitHub writes `.github` and the first."""
    return {
        "path": ".github",
        "blob_href": f"{at.html}/{of.repository.name}/blob/{of.head_sha}/.github",
        "start_line": 1,
        "start_column": None,
        "end_line": 1,
        "end_column": None,
        "annotation_level": record.level,
        "title": record.title,
        "message": record.message,
        "raw_details": "",
    }


def _steps(record: Job, status: str) -> list[Json]:
    conclusions = {"Set up job": "success", "Run actions/checkout@v4": "success"}
    if record.failed_step is not None:
        conclusions[record.failed_step] = "failure"
    return [
        {
            "name": name,
            "status": status,
            "conclusion": conclusion,
            "number": number,
            "started_at": instant(record.started_at),
            "completed_at": instant(record.completed_at),
        }
        for number, (name, conclusion) in enumerate(conclusions.items(), start=1)
    ]


def artifact(at: Addresses, record: Artifact, of: Run) -> Json:
    url = f"{at.api}/repos/{of.repository.name}/actions/artifacts/{record.id}"
    created = instant(record.created_at)
    return {
        "id": record.id,
        "node_id": node_id("MA", record.id),
        "name": record.name,
        "size_in_bytes": len(record.content),
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": record.expired,
        "digest": record.digest,
        "created_at": created,
        "updated_at": created,
        "expires_at": instant(record.created_at + RETENTION),
        "workflow_run": {
            "id": of.id,
            "repository_id": of.repository.id,
            "head_repository_id": of.repository.id,
            "head_branch": of.head_branch or "",
            "head_sha": of.head_sha,
        },
    }
