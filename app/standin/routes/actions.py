"""Runs, attempts, jobs, logs and artifacts."""

import operator
from collections.abc import Callable
from datetime import UTC, datetime

from app.domain.ids import ArtifactId, JobId, RunId
from app.standin.exchange import NOT_FOUND, Answer, Asked, Refusal
from app.standin.faults import xml_error
from app.standin.records import Attempt, Job, Run
from app.standin.shapes import runs as shapes

_RUNS = "/repos/{owner}/{repo}/actions/runs"


def list_runs(asked: Asked) -> Answer:
    mine = [run for run in list(asked.state.runs.values()) if run.repository is asked.repository]
    wanted = [run for run in mine if _matches(run, asked)]
    page, headers = asked.page_of(sorted(wanted, key=lambda run: (run.created_at, run.id), reverse=True))
    shown = [shapes.run(asked.at, run, run.latest) for run in page]
    return Answer(200, {"total_count": len(wanted), "workflow_runs": shown}, headers)


def _matches(run: Run, asked: Asked) -> bool:
    facts = {
        "branch": (run.head_branch,),
        "event": (run.event,),
        "head_sha": (run.head_sha,),
        "status": (run.latest.status, run.latest.conclusion),
    }
    named = all(asked.query[name] in values for name, values in facts.items() if name in asked.query)
    return named and _is_within(run.created_at, asked.query.get("created"))


_COMPARISONS: dict[str, Callable[[datetime, datetime], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
"""The longer signs first: `>=` begins with `>`."""


def _is_within(at: datetime, wanted: str | None) -> bool:
    """`wanted` as GitHub's search writes times: `A..B` (`*` is open), `>=A`, `>A`, `<=B`, `<B`, or a day."""
    if wanted is None:
        return True
    first, dots, last = wanted.partition("..")
    if dots:
        return (first == "*" or at >= _instant(first)) and (last == "*" or at <= _instant(last))
    for sign, holds in _COMPARISONS.items():
        if wanted.startswith(sign):
            return holds(at, _instant(wanted.removeprefix(sign)))
    return at.date() == _instant(wanted).date()


def _instant(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise Refusal(422, "The created filter is not a date.") from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def latest_run(asked: Asked) -> Answer:
    run = _run(asked)
    return Answer(200, shapes.run(asked.at, run, run.latest))


def run_attempt(asked: Asked) -> Answer:
    run = _run(asked)
    return Answer(200, shapes.run(asked.at, run, _attempt(asked, run)))


def jobs_of_attempt(asked: Asked) -> Answer:
    run = _run(asked)
    jobs = list(_attempt(asked, run).jobs)
    page, headers = asked.page_of(jobs)
    shown = [shapes.job(asked.at, job, run) for job in page]
    return Answer(200, {"total_count": len(jobs), "jobs": shown}, headers)


def job(asked: Asked) -> Answer:
    record = _job(asked, "job_id")
    return Answer(200, shapes.job(asked.at, record, asked.state.runs[record.run_id]))


def annotations(asked: Asked) -> Answer:
    """A job is its own check run here."""
    record = _job(asked, "check_run_id")
    page, headers = asked.page_of(list(record.annotations))
    run = asked.state.runs[record.run_id]
    return Answer(200, [shapes.annotation(asked.at, one, run) for one in page], headers)


def job_log(asked: Asked) -> Answer:
    """404 with the store's XML where there is no log."""
    record = _job(asked, "job_id")
    if record.log is None:
        return Answer(NOT_FOUND, headers={"content-type": "application/xml"}, raw=xml_error("BlobNotFound"))
    return _found(asked, f"/logs/{record.id}")


def artifacts_of_run(asked: Asked) -> Answer:
    run = _run(asked)
    wanted = [one for one in list(run.artifacts) if asked.query.get("name", one.name) == one.name]
    page, headers = asked.page_of(wanted)
    shown = [shapes.artifact(asked.at, artifact, run) for artifact in page]
    return Answer(200, {"total_count": len(wanted), "artifacts": shown}, headers)


def artifact_zip(asked: Asked) -> Answer:
    artifact = asked.state.artifacts.get(ArtifactId(asked.number("artifact_id")))
    if artifact is None or asked.state.runs[artifact.run_id].repository is not asked.repository:
        raise Refusal(NOT_FOUND, "Not Found")
    if artifact.expired:
        raise Refusal(410, "Artifact has expired")
    return _found(asked, f"/artifacts/{artifact.id}")


def _found(asked: Asked, path: str) -> Answer:
    if not asked.is_ours:
        raise Refusal(403, "Must have admin rights to Repository.")
    return Answer(302, headers={"location": asked.links.link(path)})


def _job(asked: Asked, name: str) -> Job:
    job = asked.state.jobs.get(JobId(asked.number(name)))
    if job is None or asked.state.runs[job.run_id].repository is not asked.repository:
        raise Refusal(NOT_FOUND, "Not Found")
    return job


def _run(asked: Asked) -> Run:
    try:
        return asked.state.run(asked.repository.name, RunId(asked.number("run_id")))
    except KeyError:
        raise Refusal(NOT_FOUND, "Not Found") from None


def _attempt(asked: Asked, run: Run) -> Attempt:
    attempt = run.attempts.get(asked.number("attempt_number"))
    if attempt is None:
        raise Refusal(NOT_FOUND, "Not Found")
    return attempt


ROUTES: dict[tuple[str, str], Callable[[Asked], Answer]] = {
    ("GET", _RUNS): list_runs,
    ("GET", _RUNS + "/{run_id}"): latest_run,
    ("GET", _RUNS + "/{run_id}/attempts/{attempt_number}"): run_attempt,
    ("GET", _RUNS + "/{run_id}/attempts/{attempt_number}/jobs"): jobs_of_attempt,
    ("GET", _RUNS + "/{run_id}/artifacts"): artifacts_of_run,
    ("GET", "/repos/{owner}/{repo}/actions/jobs/{job_id}"): job,
    ("GET", "/repos/{owner}/{repo}/actions/jobs/{job_id}/logs"): job_log,
    ("GET", "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations"): annotations,
    ("GET", "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}"): artifact_zip,
}
