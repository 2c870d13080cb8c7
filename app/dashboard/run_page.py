"""One attempt of a run: its jobs, what failed in them, what is missing, and the files kept from it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from app.dashboard import links, marks, parts, views
from app.dashboard.contexts import File, FilePage, Job, RunFailure, RunPage
from app.dashboard.filters import count, instant
from app.dashboard.links import GitHubLinks
from app.store import blobs, gaps, results, runs
from app.store.runs import StoredJob
from app.store.screens import attempt_lines, failure_lines, one_test
from app.store.screens.attempt_lines import AttemptLine
from app.store.screens.failure_lines import FailureLine

FAILURES_SHOWN: Final = 300
FILES_SHOWN: Final = 200
FILE_TAIL: Final = 256 * 1024
"""Characters of a kept file that one page shows: its end, where a log says how it went."""
FILE_READ_BYTES: Final = 64 * 1024 * 1024
"""Beyond this a file is not unpacked for a page."""
CHUNK_BYTES: Final = 1024 * 1024


def run_page(session: Session, attempt: int, github: GitHubLinks, *, now: datetime) -> RunPage | None:
    """None if there is no such attempt."""
    found = attempt_lines.of_run(session, attempt)
    line = next((one for one in found if one.key == attempt), None)
    if line is None:
        return None
    jobs = runs.jobs_of(session, attempt)
    tallies = results.tallies(session, [job.id for job in jobs])
    failures = failure_lines.of_attempts(session, [attempt], limit=FAILURES_SHOWN + 1)
    return RunPage(
        title=f"Run {line.run}",
        section="main",
        asked_at=now,
        attempt=views.attempt(line, github),
        attempts=tuple(views.attempt(one, github) for one in found),
        state=_state(line),
        jobs=tuple(_job(job, tallies) for job in jobs),
        failures=tuple(_failure(one, line) for one in failures[:FAILURES_SHOWN]),
        left_out=f"Only {FAILURES_SHOWN} failures are shown." if len(failures) > FAILURES_SHOWN else "",
        gaps=views.gaps(gap for _job, gap in gaps.of_attempts(session, [attempt])[attempt]),
        files=tuple(_file(one, jobs) for one in one_test.files_of(session, attempt, limit=FILES_SHOWN)),
    )


def _state(line: AttemptLine) -> str:
    if line.judged_at is None:
        return "Its results are being read; what stands here is not all."
    return f"Read and judged, last at {instant(line.judged_at)}."


def _job(job: StoredJob, tallies: Mapping[int, tuple[int, int]]) -> Job:
    tally = tallies.get(job.id)
    return Job(
        mark=marks.of_conclusion(job.conclusion),
        link=links.outside(job.name, job.url),
        tests="no results" if tally is None else f"{counted_tests(tally[0])}, {count(tally[1])} red",
        tree=views.tree(job.tested),
        failed_step=job.failed_step or "",
    )


def counted_tests(number: int) -> str:
    return f"{count(number)} {'test' if number == 1 else 'tests'}"


def _failure(line: FailureLine, attempt: AttemptLine) -> RunFailure:
    return RunFailure(
        name=views.failure_name(line),
        failure=views.failure_title(line),
        badge=marks.badge(line.ruling, opaque=line.opaque, with_whose=attempt.pull is not None),
        job=links.outside(line.job_name, line.job_url),
    )


def _file(line: one_test.FileLine, jobs: list[StoredJob]) -> File:
    file = views.file(line)
    job = next((one.name for one in jobs if one.id == line.job), "no job of its own")
    return File(file.link, file.kind, f"{file.origin}, {job}", file.note)


def file_page(session: Session, key: int, github: GitHubLinks, *, now: datetime) -> FilePage | None:
    """The end of a kept file as text, whatever its bytes are; None if there is no such file."""
    line = one_test.file(session, key)
    if line is None:
        return None
    attempt = attempt_lines.by_key(session, {line.attempt})[line.attempt]
    shown = views.file(line)
    return FilePage(
        title=line.path,
        section="main",
        asked_at=now,
        path=line.path,
        origin=shown.origin,
        kind=shown.kind,
        attempt=views.attempt(attempt, github),
        text=_end_of(session, line),
    )


def _end_of(session: Session, line: one_test.FileLine) -> parts.Text:
    read_bytes, end = 0, b""
    with blobs.stream(session, line.blob) as stream:
        while read_bytes < FILE_READ_BYTES and (chunk := stream.read(CHUNK_BYTES)):
            read_bytes += len(chunk)
            end = (end + chunk)[-FILE_TAIL:]
    notes = []
    if read_bytes > len(end):
        notes.append(f"{read_bytes - len(end):,} bytes before this are not shown")
    if read_bytes >= FILE_READ_BYTES:
        notes.append("the file goes on after this")
    if line.cut:
        notes.append("the file was cut when it was fetched")
    return parts.Text(end.decode("utf-8", "replace"), "; ".join(notes))
