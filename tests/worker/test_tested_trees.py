"""What a job of a fetched run tested: its own checkout first, then the event where no other job denies it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest
from bench import Bench
from finished_attempt import ATTEMPT, HEAD

from app.domain.checkout import SEVERAL, Checkout
from app.domain.gap import GapKind
from app.domain.ids import RepoName, Sha, TreeSha
from app.domain.tested_tree import UNKNOWN_TREE, ToldBy, TreeSource
from app.github.client import GitHub
from app.github.facts import CommitFacts
from worker.fetching.tested_trees import TreeFinder

OTHER = Sha("b" * 40)


@dataclass
class KnownCommits(GitHub):
    """Answers for any commit, without parents; nothing else is asked."""

    asked: list[str] = field(default_factory=list)

    def commit(self, repo: RepoName, ref: str) -> CommitFacts:
        self.asked.append(f"{repo} {ref}")
        at = datetime(2026, 11, 1, tzinfo=UTC)
        return CommitFacts(Sha(ref), TreeSha("c" * 40), (), "subject", None, at)


Finder = Callable[[str], TreeFinder]


@pytest.fixture
def finder(bench: Bench) -> Finder:
    deps = replace(bench.deps, github=KnownCommits())
    return lambda event: TreeFinder(deps, replace(ATTEMPT, event=event))


def checkout(commit: Sha | None) -> Checkout:
    return Checkout("octo/lib", None, commit, None, None, None)


@pytest.mark.parametrize("event", ["push", "merge_group"])
def test_a_pushed_commit_is_tested_by_its_run(finder: Finder, event: str) -> None:
    for shown in (None, checkout(None)):
        tested, gaps = finder(event).find("test", shown, in_run={HEAD})
        assert (tested.source, tested.commit, tested.told_by) == (TreeSource.HEAD, HEAD, ToldBy.EVENT)
        assert gaps == ()


@pytest.mark.parametrize("event", ["push", "merge_group", "workflow_dispatch", "schedule"])
def test_another_job_s_checkout_of_something_else_leaves_it_unknown(finder: Finder, event: str) -> None:
    tested, (gap,) = finder(event).find("test", None, in_run={HEAD, OTHER})
    assert tested == UNKNOWN_TREE
    assert gap.kind is GapKind.TREE_UNKNOWN
    assert gap.detail.endswith("and another job of the run checked out bbbbbbb")


@pytest.mark.parametrize("event", ["workflow_dispatch", "schedule"])
def test_a_run_that_was_asked_for_tests_its_head_only_if_a_job_shows_it(finder: Finder, event: str) -> None:
    tested, (gap,) = finder(event).find("test", None)
    assert tested == UNKNOWN_TREE
    assert gap.detail.endswith(f"and a {event} may have asked for any commit")
    assert finder(event).find("test", None, in_run={HEAD})[0].source is TreeSource.HEAD
    assert finder(event).find("test", checkout(HEAD))[0].told_by is ToldBy.CHECKOUT_STEP


@pytest.mark.parametrize("event", ["push", "pull_request", "schedule"])
@pytest.mark.parametrize("shown", [SEVERAL, checkout(OTHER)])
def test_a_log_of_something_else_outweighs_the_event(finder: Finder, event: str, shown: Checkout) -> None:
    tested, (gap,) = finder(event).find("test", shown)
    assert tested == UNKNOWN_TREE
    assert gap.kind is GapKind.TREE_UNKNOWN


def test_a_pull_request_without_a_checkout_is_unknown(finder: Finder) -> None:
    tested, (gap,) = finder("pull_request").find("test", None, in_run={HEAD})
    assert (tested, gap.detail) == (UNKNOWN_TREE, "its log shows no checkout of this repository")


def test_a_log_that_was_not_read_shows_nothing(finder: Finder) -> None:
    tested, (gap,) = finder("pull_request").find("test", None, has_log=False)
    assert (tested, gap.detail) == (UNKNOWN_TREE, "its log was not read")
