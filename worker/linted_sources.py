"""The source of an attempt's opaque failures: found in a bundle or at GitHub, linted once for its bytes."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy.orm import Session

from app.domain.errors import Gone, Rejected
from app.domain.ids import Sha
from app.domain.outcome import TestId
from app.domain.replay_claim import is_own_word
from app.domain.source_places import source_places
from app.domain.weaknesses import weaknesses_of
from app.store import artifacts, blobs, failures, identities, lints, runs
from app.store.artifacts import FileKind
from app.store.lints import Linted
from app.store.run_values import StoredAttempt
from app.store.session import read_only
from worker.deps import Deps
from worker.linting_apart import lint_apart

LINT_VERSION: Final = 1
"""Rises when the rules would find something else in the same source."""
MOST_REQUESTS: Final = 10
"""Files that are asked for because of one attempt: where more are opaque, it is the job that failed."""
MOST_SOURCE_BYTES: Final = 2 * 1024 * 1024

Place = tuple[Sha, str]
"""A commit and a path."""


@dataclass(frozen=True, slots=True)
class OpaqueTest:
    """A failure that holds no cause, and where its test's source may stand, the likeliest first."""

    failure: int
    test: TestId
    places: tuple[Place, ...]


def opaque_tests(session: Session, attempt: StoredAttempt) -> list[OpaqueTest]:
    """By job and test, so that the same come first at each try. Where no commit is known, the head counts."""
    found = [one for one in failures.of_attempt(session, attempt.id) if one.opaque and one.test is not None]
    commits = {job.id: job.tested.commit or attempt.head_sha for job in runs.jobs_of(session, attempt.id)}
    tests = identities.by_key(session, {one.test for one in found if one.test is not None})
    named = [(one, tests[one.test]) for one in found if one.test is not None]
    return [
        OpaqueTest(one.id, test, tuple((commits[one.job], path) for path in source_places(test, one.path)))
        for one, test in sorted(named, key=lambda pair: (pair[0].job, pair[0].test or 0))
    ]


class SourceLinter:
    """May raise Unavailable; what was looked at until then is in `looked_at`."""

    def __init__(self, deps: Deps, attempt: StoredAttempt, wanted: Sequence[OpaqueTest]) -> None:
        self._deps, self._attempt = deps, attempt
        self._asked = 0
        self.looked_at: dict[Place, Linted] = {}
        self.links: list[lints.Place] = []
        """Which file each failure's test stands in."""
        with read_only(deps.store) as session:
            places = {place for one in wanted for place in one.places}
            self._known = lints.at(session, attempt.repo, places, version=LINT_VERSION)
            self._in_bundles = {} if _is_strangers(attempt) else _in_bundles(session, attempt)

    def look(self, test: OpaqueTest) -> None:
        """Find the file among the test's places, and lint it; where there is none, the likeliest is noted."""
        for commit, path in test.places:
            linted = self._at(commit, path)
            if linted is None:
                return
            if linted.digest is not None:
                found = len(weaknesses_of(test.test, path, linted.findings))
                self.links.append(lints.Place(test.failure, commit, path, found))
                return
        if test.places:
            self.links.append(lints.Place(test.failure, *test.places[0], found=0))

    def _at(self, commit: Sha, path: str) -> Linted | None:
        """None where too many files were asked for already."""
        place = commit, path
        if place in self._known:
            return self._known[place]
        if path not in self._in_bundles and self._asked >= MOST_REQUESTS:
            return None
        linted = self._known[place] = self.looked_at[place] = self._look_at(commit, path)
        return linted

    def _look_at(self, commit: Sha, path: str) -> Linted:
        try:
            content = self._content(commit, path)
        except (Gone, Rejected) as error:
            return Linted(commit, path, None, note=f"It could not be read at that commit: {error.reason}.")
        digest = hashlib.sha256(content).hexdigest()
        with read_only(self._deps.store) as session:
            same = lints.of_source(session, self._attempt.repo, digest, path, version=LINT_VERSION)
        return lint_file(commit, path, content) if same is None else replace(same, commit=commit)

    def _content(self, commit: Sha, path: str) -> bytes:
        if path in self._in_bundles:
            with read_only(self._deps.store) as session:
                return blobs.read(session, self._in_bundles[path])
        self._asked += 1
        github, repo = self._deps.github, self._attempt.repo_name
        return github.content(repo, path, commit, limit_bytes=MOST_SOURCE_BYTES)


def lint_file(commit: Sha, path: str, content: bytes) -> Linted:
    """Never raises: a file that nobody can lint keeps no failure from being judged."""
    digest = hashlib.sha256(content).hexdigest()
    told = lint_apart(content.decode("utf-8-sig", "replace"), path)
    return Linted(commit, path, digest, told.findings, told.found, told.note)


def _is_strangers(attempt: StoredAttempt) -> bool:
    """Whether a stranger can have written the bundles: GitHub then says what the file was."""
    return is_own_word(attempt.event, from_fork=attempt.from_fork)


def _in_bundles(session: Session, attempt: StoredAttempt) -> Mapping[str, str]:
    """Blobs of the sources that verified bundles hold, by path in the project."""
    files = [one for one in artifacts.files_of(session, attempt.id) if one.kind is FileKind.TEST_SOURCE]
    return {one.path.rpartition("source/")[2]: one.blob for one in files}
