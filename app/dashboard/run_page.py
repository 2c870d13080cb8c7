"""One attempt of a run: its jobs, what failed in them, what is missing, and which files were kept of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from app.dashboard import links, marks, replay_views, views
from app.dashboard.contexts import File, Job, RunFailure, RunPage
from app.dashboard.filters import count, instant
from app.dashboard.links import GitHubLinks
from app.dashboard.parts import Link
from app.domain.run import Conclusion
from app.store import gaps, replays, results, runs
from app.store.replays import ArrivedReplay
from app.store.run_values import StoredJob
from app.store.screens import attempt_lines, failure_lines, one_test
from app.store.screens.attempt_lines import AttemptLine
from app.store.screens.failure_lines import FailureLine

FAILURES_SHOWN: Final = 300
FILES_SHOWN: Final = 200
REPLAYS_SHOWN: Final = 100


def run_page(session: Session, attempt: int, github: GitHubLinks, *, now: datetime) -> RunPage | None:
    """None if there is no such attempt."""
    found = attempt_lines.of_run(session, attempt)
    line = next((one for one in found if one.key == attempt), None)
    if line is None:
        return None
    jobs = runs.jobs_of(session, attempt)
    tallies = results.tallies(session, [job.id for job in jobs])
    failures = failure_lines.of_attempts(session, [attempt], limit=FAILURES_SHOWN + 1)
    files = one_test.files_of(session, attempt, limit=FILES_SHOWN)
    missing = views.gaps(gap for _job, gap in gaps.of_attempts(session, [attempt])[attempt])
    return RunPage(
        title=f"Run {line.run}",
        section="main",
        asked_at=now,
        attempt=views.attempt(line, github),
        attempts=tuple(views.attempt(one, github) for one in found),
        state=_state(line),
        jobs=tuple(_job(job, tallies, is_kept=line.raw_removed_at is None) for job in jobs),
        failures=tuple(_failure(one, line) for one in failures[:FAILURES_SHOWN]),
        left_out=f"Only {FAILURES_SHOWN} failures are shown." if len(failures) > FAILURES_SHOWN else "",
        none_failed=_none_failed(line, jobs, tallies, is_missing=bool(missing)),
        gaps=missing,
        replays=tuple(
            replay_views.replay(one, files, _failure_of(one, failures))
            for one in replays.of_attempt(session, attempt)[:REPLAYS_SHOWN]
        ),
        files=tuple(_file(one, jobs) for one in files),
    )


def _state(line: AttemptLine) -> str:
    if line.judged_at is None:
        return "Its results are being read; what stands here is not all."
    judged = f"Read and judged, last at {instant(line.judged_at)}."
    if line.raw_removed_at is None:
        return judged
    return f"{judged} Its texts, files and single results were past their time and are removed."


def _none_failed(
    line: AttemptLine, jobs: Sequence[StoredJob], tallies: Mapping[int, tuple[int, int]], *, is_missing: bool
) -> str:
    """A doubt is said only where there is one: results are missing, or the run did not pass as a whole."""
    ran = [job for job in jobs if job.conclusion is not Conclusion.SKIPPED]
    told = [job for job in ran if job.id in tallies]
    if is_missing or line.judged_at is None or line.conclusion is not Conclusion.SUCCESS or not told:
        return "No failing test was read from this attempt. That alone does not mean that none failed."
    if len(told) == len(ran):
        return "No test failed."
    return f"No test failed in the jobs that left results, {len(told)} of {len(ran)}."


def _job(job: StoredJob, tallies: Mapping[int, tuple[int, int]], *, is_kept: bool) -> Job:
    tally = tallies.get(job.id)
    none = "no results" if is_kept else "results removed"
    return Job(
        mark=marks.of_conclusion(job.conclusion),
        link=links.outside(job.name, job.url),
        tests=none if tally is None else f"{counted_tests(tally[0])}, {count(tally[1])} red",
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
        cause="" if line.ruling is None or line.ruling.cause is None else line.ruling.cause,
        job=links.outside(line.job_name, line.job_url),
    )


def _failure_of(replay: ArrivedReplay, failures: Sequence[FailureLine]) -> Link | None:
    """The failure that it is about, where that is only one."""
    alike = [one for one in failures if one.label == replay.label and replay.job in {one.job, None}]
    return views.failure_title(alike[0]) if len(alike) == 1 else None


def _file(line: one_test.FileLine, jobs: list[StoredJob]) -> File:
    file = views.file(line)
    job = next((one.name for one in jobs if one.id == line.job), "no job of its own")
    return File(file.link, file.what, job, file.note)
