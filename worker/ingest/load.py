"""Take units through the pipeline's own stages: record, read, group, judge; nothing is ever reported."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from app.domain.ids import RepoName, RunId, Sha, TreeSha
from app.domain.policy import VerdictPolicy
from app.store import commits, failures, known_attempt, repos, runs
from app.store.commit_index import CommitIndex
from app.store.commits import CommitFacts
from app.store.identities import KeyCache
from app.store.known_attempt import KnownAttempt
from app.store.session import read_only, unit_of_work
from worker.ingest.job_identity import find_job, job_id_of
from worker.ingest.manifest import Entry
from worker.ingest.record import TakenEntry, record_unit
from worker.ingest.sources import gather_sources, is_stored
from worker.ingest.tested_code import CodeFinder
from worker.ingest.timeline import Unit
from worker.stages.group_failures import group_attempt
from worker.stages.judge_failures import judge_attempt
from worker.stages.read_results import read_attempt

Complain = Callable[[str], None]


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
    """What the store has of one unit's jobs afterwards."""

    repo: RepoName
    run: int
    attempt: int
    jobs: int
    results: int
    failures: int
    gaps: int


@dataclass(slots=True)
class _Repo:
    """What is kept in memory of one repository for the whole ingest."""

    key: int
    index: CommitIndex
    test_keys: KeyCache = field(default_factory=KeyCache)
    trees: dict[Sha, TreeSha] = field(default_factory=dict)


@dataclass(slots=True)
class Loader:
    """Loads units one after the other. `complain` hears of every entry and file that could not be taken."""

    store: Engine
    policy: VerdictPolicy
    site: str
    default_branch: str | None
    complain: Complain
    files_named: int = 0
    files_missing: int = 0
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
        with unit_of_work(self.store) as session:
            repo = self._repo(session, unit.repo)
            first = unit.entries[0]
            known = known_attempt.find(session, repo.key, RunId(first.run), first.attempt)
        entries = [entry for entry in unit.entries if self._agrees(entry, first, known)]
        if not entries:
            return None
        if known is not None and (jobs := _stored_jobs(entries, known)):
            return self._told(first, known.attempt.id, jobs)
        taken = [self._take(entry, repo, known) for entry in entries]
        with unit_of_work(self.store) as session:
            attempt, jobs = record_unit(session, repo.key, taken, known, site=self.site)
        self._pipeline(repo, attempt, jobs, unit.at)
        return self._told(first, attempt, jobs)

    def _pipeline(self, repo: _Repo, attempt: int, jobs: Sequence[int], at: datetime) -> None:
        kernel = IngestKernel(self.store, self.policy, StoppedClock(at))
        read_attempt(kernel, attempt, only=jobs, test_keys=repo.test_keys)
        with read_only(self.store) as session:
            is_signed = not failures.unsigned(session, attempt)
        if not is_signed:
            group_attempt(kernel, attempt)
        with unit_of_work(self.store) as session:
            judge_attempt(session, runs.attempt(session, attempt), repo.index, self.policy, at=at)

    def _take(self, entry: Entry, repo: _Repo, known: KnownAttempt | None) -> TakenEntry:
        sources = gather_sources(entry)
        self.files_named += len(entry.paths) + (entry.log is not None)
        self.files_missing += len(sources.missing)
        for words in sources.missing:
            self.complain(f"{entry.where}, {words}; it counts as a gap")
        tested, unknown = CodeFinder(repo.index.parents, repo.trees).find(entry, sources.checkout)
        job = job_id_of(entry, known.jobs if known else ())
        return TakenEntry(entry, job, sources.files, tested, (*sources.gaps, *unknown))

    def _agrees(self, entry: Entry, first: Entry, known: KnownAttempt | None) -> bool:
        """One run tests one head: an entry that says otherwise has a wrong id, and would falsify both."""
        told = (known.attempt.head_sha, known.attempt.event) if known else (first.sha, first.event)
        if (entry.sha, entry.event) == told:
            return True
        sha, event = told
        self.complain(f"{entry.where}, field run: run {entry.run} is known as a {event} of {sha[:12]}")
        return False

    def _told(self, entry: Entry, attempt: int, jobs: Sequence[int]) -> Loaded:
        with read_only(self.store) as session:
            counts = known_attempt.count(session, attempt, jobs)
        return Loaded(
            entry.repo, entry.run, entry.attempt, len(jobs), counts.results, counts.failures, counts.gaps
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


def _stored_jobs(entries: Sequence[Entry], known: KnownAttempt) -> list[int]:
    """Our keys of the entries' jobs if everything they tell was stored and judged before; else none."""
    jobs: set[int] = set()
    for entry in entries:
        job = find_job(entry, known.jobs)
        if not known.attempt.is_judged or job is None or not is_stored(entry, job.id, known.files):
            return []
        jobs.add(job.id)
    return sorted(jobs)
