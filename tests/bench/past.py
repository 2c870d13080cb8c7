"""A repository's past in the store: 5,000 tests in 3 variants, one in fifty of them flaky, over 30 days.

It is written by the store's own functions, and each red run is signed and judged as in an ingest; only the
reading of files is left out.
"""

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import Engine

from app.domain.ids import JobId, RepoName, RunId, Sha
from app.domain.outcome import OutcomeKind, TestId
from app.domain.policy import VerdictPolicy
from app.domain.run import Conclusion, Job, WorkflowRun
from app.domain.run_vector import Cell
from app.store import blobs, commits, failures, identities, recording, repos, results, runs
from app.store.commit_index import CommitIndex
from app.store.failures import NewFailure
from app.store.identities import KeyCache
from app.store.session import open_engine, unit_of_work
from worker.ingest.load import IngestKernel, StoppedClock
from worker.stages.group_failures import group_attempt
from worker.stages.judge_failures import judge_attempt

REPO = RepoName("octo/large")
TESTS, VARIANTS, DAYS = 5000, ("3.10", "3.11", "3.12"), 30
A_RUN = TESTS * len(VARIANTS)
FLAKY, FAILS = 100, 0.02
"""Tests that fail now and then, and in how many of their runs."""

TEXT = """\
    def test_behaves(self):
        parts = self.read()
>       assert combine(parts) == {number}
E       assert {seen} == {number}

tests/module_{module}.py:{line}: AssertionError"""


@dataclass(slots=True)
class Past:
    """Writes run after run; `ends_at` is the end of the last."""

    store: Engine
    ends_at: datetime
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    keys: KeyCache = field(default_factory=KeyCache)

    def write(self, count: int) -> int:
        """At least so many results; returns how many."""
        tests = [_test(number) for number in range(TESTS)]
        with unit_of_work(self.store) as session:
            repo = repos.remember(session, REPO, default_branch="main")
            known = identities.keys_of(session, repo, tests, self.keys)
        ordered = [known[test] for test in tests]
        index, total = CommitIndex(repo), -(-count // A_RUN)
        for number in range(total):
            self._run(
                repo,
                number,
                self.ends_at - timedelta(days=DAYS) * (total - 1 - number) / total,
                ordered,
                index,
            )
        return total * A_RUN

    def _run(self, repo: int, number: int, at: datetime, tests: list[int], index: CommitIndex) -> None:
        red = {variant: self._red() for variant in VARIANTS}
        run, jobs = _run_of(number, at), [_job_of(number, variant, at, red[variant]) for variant in VARIANTS]
        parents = (Sha(f"{number - 1:040x}"),) if number else ()
        with unit_of_work(self.store) as session:
            commits.remember(
                session, repo, [commits.CommitFacts(sha=run.head_sha, parents=parents, branch="main")]
            )
            attempt = recording.record_attempt(session, repo, run, jobs, pull=None, recorded_at=at)
            cells = []
            for stored in runs.jobs_of(session, attempt):
                failing = red[stored.variant.partition("(")[2].rstrip(")")]
                told = results.JobCells(stored.id, stored.variant_id, self._cells(tests, failing))
                results.store_vector(session, told, day=at.date())
                packed = {test: blobs.pack(_text(test, number)) for test in failing}
                blobs.keep(session, *packed.values())
                new = [_failure(stored.id, tests[test], packed[test].digest, at) for test in failing]
                failures.record_once(session, repo, attempt, new)
                cells.append(told)
            recording.claim_counting(session, [one.job for one in cells], at=at)
            results.add_to_days(session, cells, day=at.date())
        group_attempt(IngestKernel(self.store, VerdictPolicy(), StoppedClock(at)), attempt)
        with unit_of_work(self.store) as session:
            judge_attempt(session, runs.attempt(session, attempt), index, VerdictPolicy(), at=at)

    def _red(self) -> list[int]:
        return [number for number in range(0, TESTS, TESTS // FLAKY) if self.chance.random() < FAILS]

    def _cells(self, tests: list[int], failing: list[int]) -> tuple[Cell, ...]:
        red = {tests[number] for number in failing}
        failed, passed = OutcomeKind.FAILED, OutcomeKind.PASSED
        return tuple(Cell(key, failed if key in red else passed, 5 + key % 300) for key in tests)


def write(database_url: str, count: int, *, ends_at: datetime) -> int:
    store = open_engine(database_url)
    written = Past(store, ends_at).write(count)
    store.dispose()
    return written


def _test(number: int) -> TestId:
    return TestId(
        "", "", f"tests.module_{number // 50}.TestThing", f"test_behaves_{number // 5}[{number % 5}-cpu]"
    )


def _run_of(number: int, at: datetime) -> WorkflowRun:
    return WorkflowRun(
        id=RunId(1000 + number),
        repo=REPO,
        attempt=1,
        workflow_id=7,
        workflow="ci",
        event="push",
        head_sha=Sha(f"{number:040x}"),
        head_branch="main",
        conclusion=Conclusion.FAILURE,
        started_at=at - timedelta(minutes=12),
        completed_at=at - timedelta(minutes=1),
        actor="ann",
        from_fork=False,
        pulls=(),
        url=f"https://github.com/{REPO}/actions/runs/{1000 + number}",
    )


def _job_of(number: int, variant: str, at: datetime, red: list[int]) -> Job:
    job = number * len(VARIANTS) + VARIANTS.index(variant) + 1
    return Job(
        id=JobId(job),
        run_id=RunId(1000 + number),
        attempt=1,
        name=f"test ({variant})",
        conclusion=Conclusion.FAILURE if red else Conclusion.SUCCESS,
        started_at=at - timedelta(minutes=11),
        completed_at=at - timedelta(minutes=2),
        runner="runner 1",
        labels=(),
        failed_step="Run tests" if red else None,
        url=f"https://github.com/{REPO}/actions/runs/{1000 + number}/job/{job}",
    )


def _text(test: int, run: int) -> str:
    return TEXT.format(number=test, seen=run, module=test // 50, line=10 + test % 40)


def _failure(job: int, test: int, text: str, at: datetime) -> NewFailure:
    path = "tests/module.py"
    return NewFailure(job, test, OutcomeKind.FAILED, "assert 2 == 3", text, False, path, 14, at)  # noqa: FBT003 - not cut
