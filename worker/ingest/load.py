"""Take units through the pipeline's own stages: record, read, group, judge; nothing is ever reported."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from app.domain.gap import GapKind
from app.domain.ids import RepoName, RunId, Sha, TreeSha
from app.domain.policy import VerdictPolicy
from app.store import commits, failures, gaps, known_attempt, out_of_sight, repos, runs
from app.store.commit_index import CommitIndex
from app.store.commits import CommitFacts
from app.store.identities import KeyCache
from app.store.known_attempt import KnownAttempt
from app.store.run_values import StoredJob
from app.store.session import read_only, unit_of_work
from worker.ingest.complaints import differences, unreadable
from worker.ingest.job_identity import find_job, job_id_of
from worker.ingest.manifest import Entry
from worker.ingest.record import TakenEntry, record_unit
from worker.ingest.replacing import Head, Removal, Replacing
from worker.ingest.sources import gather_sources, is_stored
from worker.ingest.tested_code import CodeFinder
from worker.ingest.timeline import Unit
from worker.stages.group_failures import group_attempt
from worker.stages.judge_failures import judge_attempt
from worker.stages.read_results import read_attempt

Complain = Callable[[str], None]
Status = Literal["new", "replaced", "known", "past"]


@dataclass(frozen=True, slots=True)
class StoppedClock:
    at: datetime

    def now(self) -> datetime:
        return self.at


@dataclass(frozen=True, slots=True)
class IngestKernel:
    """A kernel for one unit: its clock answers the unit's time, so that verdicts bear it."""

    store: Engine
    policy: VerdictPolicy
    clock: StoppedClock


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the store has of one unit's jobs afterwards; of a `known` one it had all of it before.

    One that is `past` its time was passed over: it may have been stored, counted and removed before.
    """

    repo: RepoName
    run: int
    attempt: int
    jobs: int
    results: int
    failures: int
    gaps: int
    status: Status


@dataclass(slots=True)
class _Repo:
    """What is kept in memory of one repository for the whole ingest."""

    key: int
    index: CommitIndex
    test_keys: KeyCache = field(default_factory=KeyCache)
    trees: dict[Sha, TreeSha] = field(default_factory=dict)


@dataclass(slots=True)
class Loader:
    """Loads units one after the other. `complain` hears of every entry and file that could not be taken.

    Without `replacing`, what is stored stays as it is. `files_unread` are missing or of no use.
    """

    store: Engine
    policy: VerdictPolicy
    site: str
    default_branch: str | None
    complain: Complain
    replacing: Replacing | None = None
    files_named: int = 0
    files_unread: int = 0
    _repos: dict[str, _Repo] = field(default_factory=dict)

    def add_commits(self, name: RepoName, found: Sequence[CommitFacts]) -> None:
        """Store commits; facts that are known already stay."""
        if found:
            with unit_of_work(self.store) as session:
                repo = self._repo(session, name)
                commits.remember(session, repo.key, found)
                repo.index.refresh(session)
            repo.trees |= {one.sha: one.tree for one in found if one.tree is not None}

    def load(self, unit: Unit) -> Loaded | None:
        """Store and judge a unit; one that is stored already is left as it is. None if no entry is taken.

        Killed in between, it is completed when it is loaded again.
        """
        first = unit.entries[0]
        with unit_of_work(self.store) as session:
            repo = self._repo(session, unit.repo)
            known = known_attempt.find(session, repo.key, RunId(first.run), first.attempt)
            removal = self.replacing.plan(session, known, unit.entries) if self.replacing and known else None
            is_past = known is None and _may_be_removed(session, repo.key, unit)
        if is_past:
            return Loaded(unit.repo, first.run, first.attempt, 0, 0, 0, 0, "past")
        head = removal.head if removal else _head(first, known)
        entries = [entry for entry in unit.entries if self._agrees(entry, head)]
        if not entries:
            return None
        if known is not None and removal is None and (jobs := _stored_jobs(entries, known)):
            for words in differences(entries, known):
                self.complain(f"{first.where}, run {first.run}: {words}")
            return self._told(first, known.attempt.id, jobs, "known")
        taken = [self._take(entry, repo, known.jobs if known else ()) for entry in entries]
        with unit_of_work(self.store) as session:
            if removal is not None:
                removal.carry_out(session)
                known = known_attempt.find(session, repo.key, RunId(first.run), first.attempt)
            attempt, jobs = record_unit(session, repo.key, taken, known, site=self.site)
        self._pipeline(repo, attempt, jobs, unit.at)
        self._tell_unreadable(first, attempt, jobs)
        self._settle(repo, attempt, jobs, removal)
        return self._told(first, attempt, jobs, "replaced" if removal else "new")

    def _settle(self, repo: _Repo, attempt: int, jobs: Sequence[int], removal: Removal | None) -> None:
        """Judge again what leaned on removed jobs; their own attempt has been judged."""
        if self.replacing is not None:
            with unit_of_work(self.store) as session:
                self.replacing.mark(session, attempt, jobs)
                self.replacing.judge_again(session, removal.leaning if removal else (), repo.index)

    def _pipeline(self, repo: _Repo, attempt: int, jobs: Sequence[int], at: datetime) -> None:
        kernel = IngestKernel(self.store, self.policy, StoppedClock(at))
        read_attempt(kernel, attempt, only=jobs, test_keys=repo.test_keys)
        with read_only(self.store) as session:
            is_signed = not failures.unsigned(session, attempt)
        if not is_signed:
            group_attempt(kernel, attempt)
        with unit_of_work(self.store) as session:
            judge_attempt(session, runs.attempt(session, attempt), repo.index, self.policy, at=at)

    def _take(self, entry: Entry, repo: _Repo, known: Sequence[StoredJob]) -> TakenEntry:
        sources = gather_sources(entry)
        self.files_named += sources.named
        self.files_unread += len(sources.missing)
        for words in sources.missing:
            self.complain(f"{entry.where}, {words}; it counts as a gap")
        tested, unknown = CodeFinder(repo.index.parents, repo.trees).find(entry, sources.checkout)
        job = job_id_of(entry, known)
        return TakenEntry(entry, job, sources.files, tested, (*sources.gaps, *unknown))

    def _agrees(self, entry: Entry, head: Head) -> bool:
        """One run tests one head: an entry that says otherwise has a wrong id, and would falsify both."""
        if (entry.sha, entry.event) == head:
            return True
        sha, event = head
        self.complain(f"{entry.where}, field run: run {entry.run} is known as a {event} of {sha[:12]}")
        return False

    def _tell_unreadable(self, entry: Entry, attempt: int, jobs: Sequence[int]) -> None:
        with read_only(self.store) as session:
            noted = gaps.of_attempts(session, [attempt])[attempt]
        for kind, words in unreadable(noted, jobs):
            self.files_unread += kind is GapKind.FILE_REFUSED
            self.complain(f"run {entry.run}, {words}")

    def _told(self, entry: Entry, attempt: int, jobs: Sequence[int], status: Status) -> Loaded:
        with read_only(self.store) as session:
            counts = known_attempt.count(session, attempt, jobs)
        return Loaded(
            repo=entry.repo,
            run=entry.run,
            attempt=entry.attempt,
            jobs=len(jobs),
            results=counts.results,
            failures=counts.failures,
            gaps=counts.gaps,
            status=status,
        )

    def _repo(self, session: Session, name: RepoName) -> _Repo:
        found = self._repos.get(name.lower())
        if found is None:
            key = repos.remember(session, name, default_branch=self.default_branch)
            index = CommitIndex(key)
            index.refresh(session)
            found = _Repo(key, index, trees=commits.trees(session, key))
            self._repos[name.lower()] = found
        return found


def _may_be_removed(session: Session, repo: int, unit: Unit) -> bool:
    """Whether an attempt that is not stored may have been, and be counted for good."""
    until = out_of_sight.removed_until(session, repo)
    return until is not None and max(entry.ended_at for entry in unit.entries) <= until


def _head(first: Entry, known: KnownAttempt | None) -> Head:
    return (known.attempt.head_sha, known.attempt.event) if known else (first.sha, first.event)


def _stored_jobs(entries: Sequence[Entry], known: KnownAttempt) -> list[int]:
    """Our keys of the entries' jobs if everything they tell was stored and judged before; else none."""
    jobs: set[int] = set()
    for entry in entries:
        job = find_job(entry, known.jobs)
        if not known.attempt.is_judged or job is None:
            return []
        if not known.attempt.is_stripped and not is_stored(entry, job.id, known.files):
            return []
        jobs.add(job.id)
    return sorted(jobs)
