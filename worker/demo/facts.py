"""The facts of incident 1: which commits, which runs, and what failed in them.

Run ids, short SHAs, the test and the matrix are the incident's own; the rest of each SHA, the job ids and
the commits around it are made up.
"""

import hashlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from app.domain.outcome import TestId

REPO = "gefen/gefen"
REPO_ID = 830_101
MAIN = "main"
PULL = 83
PULL_BRANCH = "dtensor-handoff"
TEST_CLASS = "tests.test_gefen_fsdp2_checkpoint"
TEST_NAME = "test_full_dcp_handoff_is_exact_on_same_dtensor_topology[muon_normuon]"
TEST_ID = TestId(file="", suite="", classname=TEST_CLASS, name=TEST_NAME)
TEST = TEST_ID.label
PYTHONS = ("3.11", "3.12", "3.13")

SINCE_EVER = datetime(2020, 1, 1, tzinfo=UTC)
LASTS = timedelta(hours=31)
"""The story ends now, so it begins that long ago."""

PUSH_RUN, PULL_RUN, MAIN_RUN = 29538416045, 29538418197, 29538690201
EARLIER_RUN, GREEN_RUN = 29521177301, 29541380766


def _sha(prefix: str) -> str:
    """40 hex digits that begin as given; the same ones each time."""
    return prefix + hashlib.sha1(prefix.encode(), usedforsecurity=False).hexdigest()[len(prefix) :]


@dataclass(frozen=True, slots=True)
class StoryCommit:
    """`after` is when it was made, from the story's start. Equal `tree` words are equal code."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    subject: str
    author: str
    after: timedelta


@dataclass(frozen=True, slots=True)
class StoryRun:
    """One run of the tests over the matrix; `checked_out` is what its jobs tested, `fails_on` one Python."""

    id: int
    event: str
    head: str
    branch: str
    checked_out: str
    after: timedelta
    fails_on: str | None = None
    pull: int | None = None

    @property
    def conclusion(self) -> str:
        return "success" if self.fails_on is None else "failure"


@dataclass(frozen=True, slots=True)
class Story:
    commits: tuple[StoryCommit, ...]
    before: tuple[StoryRun, ...]
    """Runs that had happened before the pull request: main was green, and once a branch was not."""
    push: StoryRun
    pull_request: StoryRun
    between: tuple[StoryRun, ...]
    """Main moves on before the pull request is merged."""
    merged: StoryRun
    green: StoryRun


OLDER, BASE, OTHER = _sha("5e02c1d"), _sha("7d3f0ab"), _sha("a4c86e9")
ELSEWHERE = _sha("c41e9d2")
FIRST, HEAD = _sha("64d0b1e"), _sha("bd47e80")
TEST_MERGE, MERGE, MENDED = _sha("f09b3c7"), _sha("df3a615"), _sha("9c0d2f4")


def _at(hours: float, minutes: float = 0) -> timedelta:
    return timedelta(hours=hours, minutes=minutes)


_COMMITS = (
    StoryCommit(OLDER, "t-older", (), "Shard the optimizer state by parameter group", "noa", _at(0)),
    StoryCommit(BASE, "t-base", (OLDER,), "Merge pull request #80: name checkpoint shards", "noa", _at(3)),
    StoryCommit(ELSEWHERE, "t-elsewhere", (BASE,), "Raise the lower bound of torch", "idan", _at(4)),
    StoryCommit(FIRST, "t-first", (BASE,), "Keep the DTensor topology in the handoff", "tamar", _at(24)),
    StoryCommit(HEAD, "t-head", (FIRST,), "Test the handoff for muon and normuon", "tamar", _at(26)),
    StoryCommit(TEST_MERGE, "t-head", (BASE, HEAD), f"Merge {HEAD} into {BASE}", "tamar", _at(26)),
    StoryCommit(OTHER, "t-other", (BASE,), "Merge pull request #81: document release steps", "idan", _at(27)),
    StoryCommit(MERGE, "t-merge", (OTHER, HEAD), "Merge pull request #83: exact handoff", "noa", _at(28)),
    StoryCommit(MENDED, "t-mended", (MERGE,), "Merge pull request #87: run the tests once", "noa", _at(29)),
)


def story(*, base_moved: bool = False, with_history: bool = True) -> Story:
    """Incident 1.

    With `base_moved`, main had moved on before the pull request's run, so that its merge
    is not the code that the push run tested; without history, nothing failed before.
    """
    commits: tuple[StoryCommit, ...] = _COMMITS
    test_merge = TEST_MERGE
    if base_moved:
        test_merge = _sha("e81d5a0")
        moved = StoryCommit(
            test_merge, "t-moved", (OTHER, HEAD), f"Merge {HEAD} into {OTHER}", "tamar", _at(27.5)
        )
        commits = (*(commit for commit in _COMMITS if commit.sha != TEST_MERGE), moved)
    earlier = StoryRun(EARLIER_RUN, "push", ELSEWHERE, "deps/torch", ELSEWHERE, _at(4, 5), fails_on="3.13")
    base = StoryRun(29519043388, "push", BASE, MAIN, BASE, _at(3, 5))
    push = StoryRun(PUSH_RUN, "push", HEAD, PULL_BRANCH, HEAD, _at(26, 1), fails_on="3.12", pull=PULL)
    pulled = StoryRun(PULL_RUN, "pull_request", HEAD, PULL_BRANCH, test_merge, _at(26, 2), pull=PULL)
    other = StoryRun(29538502113, "push", OTHER, MAIN, OTHER, _at(27, 5))
    if base_moved:
        pulled = replace(pulled, after=_at(27, 40))
    return Story(
        commits=commits,
        before=(base, *((earlier,) if with_history else ())),
        push=push,
        pull_request=pulled,
        between=(other,),
        merged=StoryRun(MAIN_RUN, "push", MERGE, MAIN, MERGE, _at(28, 2), fails_on="3.11"),
        green=StoryRun(GREEN_RUN, "push", MENDED, MAIN, MENDED, _at(29, 2)),
    )
