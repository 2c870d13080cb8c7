"""What is said of failures whose history is brought in from files: each border of the verdicts' words."""

from datetime import timedelta
from pathlib import Path

import pytest
from ingest_story import OPAQUE, Said, Story, call, said, sha, story_in, traceback

from app.settings import Settings

RED = {"test_one": traceback("test_one"), "test_two": "passed"}
GREEN = {"test_one": "passed", "test_two": "passed"}


@pytest.fixture
def story(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Story:
    return story_in(tmp_path / "story", settings.data_dir, monkeypatch)


def told(story: Story) -> Said:
    story.ingest()
    return said()


def test_two_events_on_equal_trees_make_a_likely_flake(story: Story) -> None:
    story.pull(1, 7, "a1", GREEN, tree=sha("tree"))
    story.job(2, RED, sha=sha("a1"), branch="topic-7", tree=sha("tree"))
    assert call(told(story).of(2))[:2] == ("flaky", "likely")


def test_two_events_on_different_trees_make_a_suspicion_only(story: Story) -> None:
    story.pull(1, 7, "a1", GREEN, tree=sha("merged"))
    story.job(2, RED, sha=sha("a1"), branch="topic-7", tree=sha("pushed"))
    verdict = told(story).of(2)
    assert call(verdict) == ("flaky", "suspected", "unknown")


def test_two_events_on_unknown_trees_make_a_suspicion_and_a_gap(story: Story) -> None:
    story.pull(1, 7, "a1", GREEN, tree=None)
    story.job(2, RED, sha=sha("a1"), branch="topic-7", tree=sha("pushed"))
    verdict = told(story).of(2)
    assert call(verdict) == ("flaky", "suspected", "unknown")
    assert "tree-unknown" in {gap["kind"] for gap in verdict["gaps"]}


def test_a_merge_whose_base_the_head_holds_tests_the_heads_own_tree(story: Story) -> None:
    story.commit("m0")
    story.commit("a1", "m0", branch="topic-7", tree=None)
    story.pull(1, 7, "a1", GREEN, tree=None, parents=[sha("m0"), sha("a1")])
    story.job(2, RED, sha=sha("a1"), branch="topic-7")
    assert call(told(story).of(2))[:2] == ("flaky", "likely")


def test_the_same_failure_on_a_commit_without_the_change_is_not_yours(story: Story) -> None:
    story.commit("m0")
    story.commit("m1", "m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    story.job(1, RED, sha=sha("m1"))
    story.pull(2, 7, "a1", RED)
    verdict = told(story).of(2)
    assert verdict["whose"] == "not-yours"
    assert any(
        reason["kind"] == "seen-without-change" and 1 in reason["runs"] for reason in verdict["reasons"]
    )


def test_another_pull_requests_failure_excuses_if_neither_has_the_others_change(story: Story) -> None:
    story.commit("m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    story.commit("b1", "m0", branch="topic-8", pr=8)
    story.pull(1, 7, "a1", RED, parents=[sha("m0"), sha("a1")])
    story.pull(2, 8, "b1", RED, parents=[sha("m0"), sha("b1")])
    both = told(story)
    assert both.of(1)["whose"] == "not-yours"
    assert both.of(2)["whose"] == "not-yours"


@pytest.mark.parametrize(
    ("parents", "facts"),
    [
        pytest.param(("m0", "a1"), {}, id="merge"),
        pytest.param(("m0",), {"pr": 7}, id="squash"),
        pytest.param(("a1",), {"branch": "topic-8", "pr": 8}, id="stacked branch"),
    ],
)
def test_a_failure_on_a_commit_that_contains_the_change_never_excuses(
    story: Story, parents: tuple[str, ...], facts: dict[str, object]
) -> None:
    story.commit("m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    story.pull(1, 7, "a1", RED)
    story.commit("x1", *parents, **facts)
    story.commit("x2", "x1", **facts)
    story.job(2, RED, sha=sha("x1"))
    story.job(3, RED, sha=sha("x2"))
    verdict = told(story).of(1)
    assert verdict["whose"] != "not-yours"
    assert "seen-with-change" in {reason["kind"] for reason in verdict["reasons"]}


def test_a_pull_request_tested_on_a_main_that_has_the_change_never_excuses(story: Story) -> None:
    story.commit("m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    story.commit("b1", "m0", branch="topic-8", pr=8)
    story.pull(1, 7, "a1", RED)
    story.commit("m1", "m0", pr=7)
    story.pull(2, 8, "b1", RED, parents=[sha("m1"), sha("b1")])
    assert told(story).of(1)["whose"] != "not-yours"


def test_a_pull_request_tested_on_an_unknown_base_after_the_change_landed_never_excuses(story: Story) -> None:
    story.commit("m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    story.commit("b1", "m0", branch="topic-8", pr=8)
    story.pull(1, 7, "a1", RED)
    story.commit("m1", "m0", pr=7)
    story.pull(2, 8, "b1", RED)
    verdict = told(story).of(1)
    assert verdict["whose"] != "not-yours"
    assert "history-unknown" in {gap["kind"] for gap in verdict["gaps"]}


def test_a_base_that_already_has_the_squash_excuses_nothing(story: Story) -> None:
    story.commit("m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    story.commit("m1", "m0", pr=7)
    story.job(1, RED, sha=sha("m1"))
    story.pull(2, 7, "a1", RED, base_sha=sha("m1"))
    assert told(story).of(2)["whose"] != "not-yours"


def test_without_a_base_the_fork_from_main_tells_the_own_commits(story: Story) -> None:
    story.commit("m0")
    story.commit("m1", "m0")
    story.commit("a1", "m0", branch="topic-7")
    story.commit("a2", "a1", branch="topic-7")
    story.job(1, RED, sha=sha("m1"))
    story.pull(2, 7, "a2", RED, base_sha=None)
    assert told(story).of(2)["whose"] == "not-yours"


def test_a_commit_that_is_not_known_yet_sways_no_verdict(story: Story) -> None:
    story.commit("m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    story.job(1, RED, sha=sha("m1"))
    story.pull(2, 7, "a1", RED)
    story.at += timedelta(seconds=1)
    story.commit("m1", "m0")
    assert told(story).of(2)["whose"] == "unknown"


def test_an_unseen_failure_is_new(story: Story) -> None:
    story.job(1, GREEN)
    story.pull(2, 7, "a1", RED)
    assert call(told(story).of(2)) == ("new-failure", "suspected", "unknown")


def test_three_failing_commits_of_main_are_a_broken_main(story: Story) -> None:
    for number in range(3):
        story.commit(f"m{number}", *([f"m{number - 1}"] if number else []))
        story.job(number + 1, RED, sha=sha(f"m{number}"))
    verdicts = told(story)
    assert call(verdicts.of(3)) == ("broken-main", "likely", "unknown")
    assert verdicts.of(2)["kind"] != "broken-main"


def test_a_pass_between_them_is_no_broken_main(story: Story) -> None:
    for number, outcomes in enumerate([RED, RED, GREEN, RED]):
        story.job(number + 1, outcomes, sha=sha(f"m{number}"))
    assert told(story).of(4)["kind"] != "broken-main"


def test_a_job_that_failed_as_a_whole_is_infrastructure(story: Story) -> None:
    names = [f"test_{number:02}" for number in range(25)]
    story.job(1, {name: traceback(name, "ConnectionError: no route to host") for name in names})
    verdicts = told(story)
    assert {verdicts.of(1, name)["kind"] for name in names} == {"infrastructure"}


def test_three_failures_on_a_clean_base_are_a_regression_of_yours(story: Story) -> None:
    for number in range(20):
        story.job(number + 1, GREEN, sha=sha(f"m{number}"))
    for attempt in (1, 2, 3):
        story.pull(50, 7, "a1", RED, attempt=attempt)
    assert call(told(story).of(50, attempt=3)) == ("regression", "likely", "yours")


def test_a_rerun_that_passes_proves_a_flake(story: Story) -> None:
    story.pull(1, 7, "a1", RED)
    story.pull(1, 7, "a1", GREEN, attempt=2)
    assert call(told(story).of(1)) == ("flaky", "likely", "unknown")


def test_skipped_in_the_rerun_is_not_a_pass(story: Story) -> None:
    story.pull(1, 7, "a1", RED)
    story.pull(1, 7, "a1", GREEN | {"test_one": "skipped"}, attempt=2)
    assert told(story).of(1)["kind"] != "flaky"


def test_a_red_job_without_results_is_a_failure_with_a_gap(story: Story) -> None:
    story.job(1, None, conclusion="failure")
    verdict = told(story).of(1, None)
    assert "no-results-file" in {gap["kind"] for gap in verdict["gaps"]}


def test_an_opaque_failure_elsewhere_excuses_only_beside_a_flip_on_one_tree(story: Story) -> None:
    opaque = {"test_one": OPAQUE}
    story.commit("m0")
    story.commit("m1", "m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    story.job(1, opaque, sha=sha("m1"))
    story.pull(2, 7, "a1", opaque)
    story.ingest()
    assert said().of(2)["whose"] == "unknown"
    story.pull(2, 7, "a1", GREEN, attempt=2)
    story.ingest()
    assert call(said().of(2)) == ("flaky", "likely", "not-yours")
