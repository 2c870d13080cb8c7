"""Take stored jobs out of the store, so that entries which tell of them otherwise can be taken anew."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.orm import Session

from app.domain.ids import JobId, RunId
from app.domain.policy import VerdictPolicy
from app.store import known_attempt, runs
from app.store.commit_index import CommitIndex
from app.store.known_attempt import KnownAttempt
from app.store.removal import remove_job
from worker.ingest.job_identity import find_job
from worker.ingest.manifest import Entry
from worker.stages.judge_failures import judge_attempt
from worker.weighing.affected import affected_failures

Head = tuple[str, str]
"""Commit and event: what all entries of a run have to agree on."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What is to go (our keys of jobs), what the entries must agree on, and the attempts to judge again."""

    jobs: tuple[int, ...]
    head: Head
    leaning: frozenset[int]

    def carry_out(self, session: Session) -> None:
        for job in self.jobs:
            remove_job(session, job)


@dataclass(slots=True)
class Replacing:
    """Replaces each job at most once, so that the second of two entries on one job adds to the first.

    `at` is when the judgements are made again that rested on what was removed.
    """

    at: datetime
    policy: VerdictPolicy
    _done: set[tuple[RunId, int, JobId]] = field(default_factory=set)

    def plan(self, session: Session, known: KnownAttempt, entries: Sequence[Entry]) -> Removal | None:
        """The stored jobs that entries tell of; None where there are none that this ingest has not taken.

        The run's head can be corrected only where every job that is stored of the run is replaced.
        """
        attempt, head = known.attempt, _head_told(session, known, entries)
        agreeing = [find_job(entry, known.jobs) for entry in entries if (entry.sha, entry.event) == head]
        jobs = {
            job.id
            for job in agreeing
            if job is not None and (attempt.run, attempt.attempt, job.github_id) not in self._done
        }
        if not jobs:
            return None
        leaning = {one.attempt for one in affected_failures(session, attempt, self.policy, is_news=False)}
        return Removal(tuple(sorted(jobs)), head, frozenset(leaning - {attempt.id}))

    def mark(self, session: Session, attempt: int, jobs: Sequence[int]) -> None:
        """Note what this ingest has brought in itself."""
        stored = runs.attempt(session, attempt)
        here = {job.id: job.github_id for job in runs.jobs_of(session, attempt)}
        self._done |= {(stored.run, stored.attempt, here[job]) for job in jobs}

    def judge_again(self, session: Session, attempts: Collection[int], index: CommitIndex) -> None:
        for key in sorted(attempts):
            stored = runs.attempt(session, key)
            judge_attempt(session, stored, index, self.policy, at=self.at, is_news=False)


def _head_told(session: Session, known: KnownAttempt, entries: Sequence[Entry]) -> Head:
    first = (entries[0].sha, entries[0].event)
    agreeing = [find_job(entry, known.jobs) for entry in entries if (entry.sha, entry.event) == first]
    replaced = {job.id for job in agreeing if job is not None}
    if replaced >= {job.id for job in known.jobs} and known_attempt.is_only_one(session, known.attempt):
        return first
    return known.attempt.head_sha, known.attempt.event
