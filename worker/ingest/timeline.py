"""Job executions and commits in one order of time, so that no verdict rests on what came later."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.ids import RepoName
from app.store.commits import CommitFacts
from worker.ingest.commit_lines import ALWAYS, DatedCommit
from worker.ingest.manifest import Entry


@dataclass(frozen=True, slots=True)
class Unit:
    """Jobs of one attempt that stand together, and the commits that became known before the last began.

    `at` is when the last of them began, never earlier than that of the unit before.
    """

    entries: tuple[Entry, ...]
    commits: tuple[CommitFacts, ...]
    at: datetime

    @property
    def repo(self) -> RepoName:
        return self.entries[0].repo


def units(entries: Iterable[Entry], commits: Sequence[DatedCommit]) -> Iterator[Unit]:
    """Group entries and hand out each commit once, with the first unit that may know it.

    Commits must be sorted by `known_from`. Those that no unit reaches are left to the caller: see `unused`.
    """
    taken, clock = 0, ALWAYS
    for group in _attempts(entries):
        clock = max(clock, *(entry.started_at for entry in group))
        start = taken
        while taken < len(commits) and commits[taken].known_from <= clock:
            taken += 1
        yield Unit(tuple(group), tuple(commit.facts for commit in commits[start:taken]), clock)


def unused(commits: Sequence[DatedCommit], last: datetime) -> list[CommitFacts]:
    """Commits that became known after the last unit: stored in the end, when they can sway no verdict."""
    return [commit.facts for commit in commits if commit.known_from > last]


def _attempts(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    group: list[Entry] = []
    for entry in entries:
        if group and _attempt(entry) != _attempt(group[0]):
            yield group
            group = []
        group.append(entry)
    if group:
        yield group


def _attempt(entry: Entry) -> tuple[str, int, int]:
    return (entry.repo.lower(), entry.run, entry.attempt)
