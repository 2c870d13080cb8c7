"""What an attempt of a run proves once its jobs are heard: GitHub's own conclusion can hide a red job."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.domain.commit_state import SeenJob
from app.domain.run import Conclusion


@dataclass(frozen=True, slots=True)
class SeenAttempt:
    """`key` is the caller's, `run` GitHub's id of the run, `number` counts its attempts from 1."""

    key: int
    run: int
    number: int
    conclusion: Conclusion | None


def by_their_jobs(attempts: Iterable[SeenAttempt], jobs: Iterable[SeenJob]) -> dict[int, Conclusion | None]:
    """Each attempt's conclusion by its key, corrected where its run's jobs contradict it.

    A run that was cancelled after one of its jobs failed is a failure. A re-run succeeds only for the jobs
    it ran: one that an earlier attempt left red, and that this one skipped, cancelled or did not list, is
    still red. A success in which every job was skipped is none. A red job of a run that GitHub calls a
    success was allowed to fail.
    """
    by_run: dict[int, list[SeenAttempt]] = {}
    for attempt in attempts:
        by_run.setdefault(attempt.run, []).append(attempt)
    jobs_of: dict[int, list[SeenJob]] = {}
    for job in jobs:
        jobs_of.setdefault(job.run, []).append(job)
    told: dict[int, Conclusion | None] = {}
    for run, seen in by_run.items():
        told |= _of_run(sorted(seen, key=lambda one: one.number), jobs_of.get(run, []))
    return told


def _of_run(attempts: Sequence[SeenAttempt], jobs: Sequence[SeenJob]) -> dict[int, Conclusion | None]:
    told: dict[int, Conclusion | None] = {}
    red: set[str] = set()
    """Names of the jobs that are red as of the attempt that is looked at."""
    for attempt in attempts:
        own = [job for job in jobs if job.attempt == attempt.number]
        passed = {job.name for job in own if job.conclusion is Conclusion.SUCCESS}
        failed = {job.name for job in own if job.conclusion is not None and job.conclusion.is_red}
        if attempt.conclusion is Conclusion.SUCCESS:
            failed = set()
        red = (red - passed) | failed
        told[attempt.key] = _conclusion(attempt.conclusion, own, own_red=bool(failed), left_red=bool(red))
    return told


def _conclusion(
    said: Conclusion | None, own: Sequence[SeenJob], *, own_red: bool, left_red: bool
) -> Conclusion | None:
    if said is not None and not said.is_red and own_red:
        return Conclusion.FAILURE
    if said is not Conclusion.SUCCESS:
        return said
    if left_red:
        return Conclusion.FAILURE
    if own and all(job.conclusion is Conclusion.SKIPPED for job in own):
        return Conclusion.SKIPPED
    return said
