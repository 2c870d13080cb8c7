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
    assert {call(verdicts.of(run)) for run in (1, 2, 3)} == {("broken-main", "likely", "unknown")}


def broken_main(story: Story, commits: int = 4) -> None:
    """Main failed alike on that many commits in a row, in runs 1, 2 and so on."""
    for number in range(commits):
        story.commit(f"m{number}", *([f"m{number - 1}"] if number else []))
        story.job(number + 1, RED, sha=sha(f"m{number}"))


@pytest.mark.parametrize(
    "based",
    [
        pytest.param({"parents": [sha("m3"), sha("a1")]}, id="merged with it"),
        pytest.param({"base_sha": sha("m3")}, id="said to be based on it"),
        pytest.param({"base_sha": None}, id="forked from it"),
    ],
)
def test_a_pull_request_on_a_broken_main_fails_with_it(story: Story, based: dict[str, object]) -> None:
    broken_main(story)
    story.commit("a1", "m3", branch="topic-7", pr=7)
    story.pull(7, 7, "a1", RED, **based)
    verdict = told(story).of(7)
    assert call(verdict) == ("broken-main", "likely", "not-yours")
    assert verdict["reasons"][0]["kind"] == "main-streak"
    assert verdict["reasons"][0]["runs"] == [1, 2, 3, 4]
    assert "regression" not in " ".join(reason["text"] for reason in verdict["reasons"])


def test_a_pull_request_that_failed_before_main_was_known_to_be_broken_is_judged_again(story: Story) -> None:
    broken_main(story, commits=2)
    story.commit("a1", "m1", branch="topic-7", pr=7)
    story.pull(7, 7, "a1", RED, parents=[sha("m1"), sha("a1")])
    story.commit("m2", "m1")
    story.job(3, RED, sha=sha("m2"))
    assert call(told(story).of(7)) == ("broken-main", "likely", "not-yours")


def test_a_base_that_nobody_tested_lies_inside_if_commits_around_it_failed(story: Story) -> None:
    story.commit("m0")
    story.job(1, RED, sha=sha("m0"))
    story.commit("m1", "m0")
    story.commit("m2", "m1")
    story.job(2, RED, sha=sha("m2"))
    story.commit("m3", "m2")
    story.job(3, RED, sha=sha("m3"))
    story.commit("a1", "m1", branch="topic-7", pr=7)
    story.commit("b1", "m3", branch="topic-8", pr=8)
    story.commit("m4", "m3")
    story.commit("c1", "m4", branch="topic-9", pr=9)
    story.pull(7, 7, "a1", RED, parents=[sha("m1"), sha("a1")])
    story.pull(8, 8, "b1", RED, parents=[sha("m3"), sha("b1")])
    story.pull(9, 9, "c1", RED, parents=[sha("m4"), sha("c1")])
    verdicts = told(story)
    assert verdicts.of(7)["kind"] == "broken-main"
    assert verdicts.of(8)["kind"] == "broken-main"
    assert verdicts.of(9)["kind"] != "broken-main", "its base came after the last commit known to fail"


def test_a_pull_request_merged_with_a_mended_main_is_not_on_the_broken_one(story: Story) -> None:
    broken_main(story)
    story.commit("m4", "m3")
    story.job(5, GREEN, sha=sha("m4"))
    story.commit("a1", "m3", branch="topic-7", pr=7)
    story.pull(7, 7, "a1", RED, parents=[sha("m4"), sha("a1")])
    story.pull(8, 7, "a1", RED, base_sha=sha("m3"))
    verdicts = told(story)
    assert verdicts.of(7)["kind"] != "broken-main"
    assert verdicts.of(8)["kind"] != "broken-main", "what it was merged with is not known"


def test_an_opaque_failure_on_a_broken_main_is_no_excuse(story: Story) -> None:
    for number in range(3):
        story.commit(f"m{number}", *([f"m{number - 1}"] if number else []))
        story.job(number + 1, {"test_one": OPAQUE}, sha=sha(f"m{number}"))
    story.commit("a1", "m2", branch="topic-7", pr=7)
    story.pull(7, 7, "a1", {"test_one": OPAQUE}, parents=[sha("m2"), sha("a1")])
    assert call(told(story).of(7)) == ("broken-main", "likely", "unknown")


def test_attempts_of_one_run_get_one_answer_however_often_it_fails(story: Story) -> None:
    story.commit("m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    story.commit("b1", "m0", branch="topic-8", pr=8)
    for number in range(20):
        story.job(number + 1, GREEN, sha=sha("m0"))
    for attempt in range(1, 13):
        story.pull(50, 7, "a1", RED, attempt=attempt, parents=[sha("m0"), sha("a1")])
        story.job(50 + attempt, GREEN, sha=sha("m0"))
    story.pull(90, 8, "b1", RED, parents=[sha("m0"), sha("b1")])
    story.pull(91, 8, "b1", GREEN, parents=[sha("m0"), sha("b1")])
    verdicts = told(story)
    assert {call(verdicts.of(50, attempt=attempt)) for attempt in range(1, 13)} == {
        ("flaky", "suspected", "unknown")
    }


def test_a_base_is_what_it_was_before_the_first_attempt_at_a_head(story: Story) -> None:
    for number in range(19):
        story.job(number + 1, GREEN, sha=sha(f"m{number}"))
    for attempt in (1, 2, 3):
        story.pull(50, 7, "a1", RED, attempt=attempt)
        story.job(30 + attempt, GREEN, sha=sha(f"n{attempt}"))
    verdicts = told(story)
    assert {verdicts.of(50, attempt=attempt)["kind"] for attempt in (1, 2, 3)} == {"new-failure"}


INFRASTRUCTURE_LOG = "2026-11-01T08:00:00.1234567Z ##[error]No space left on device"
BUILD_LOG = "2026-11-01T08:00:00.1234567Z ##[error]src/shapes.c:12:5: error: unknown type name shape_t"
EXIT_LOG = "2026-11-01T08:00:00.1234567Z ##[error]Process completed with exit code 1."


def logged(story: Story, run: int, log: str | None, **facts: object) -> None:
    """A job that failed without naming a test."""
    name = f"log-{run}-{len(story.entries)}.txt"
    if log is not None:
        (story.folder / name).write_text(log + "\n")
    story.job(run, None, conclusion="failure", log=None if log is None else name, **facts)


@pytest.mark.parametrize("log", [None, EXIT_LOG])
def test_a_job_that_says_nothing_of_its_cause_is_never_new_and_never_infrastructure(
    story: Story, log: str | None
) -> None:
    for run in (1, 2, 3, 4):
        logged(story, run, log)
    verdicts = told(story)
    assert {call(verdicts.of(run, None)) for run in (1, 2, 3, 4)} == {("undecided", "suspected", "unknown")}


def test_a_job_whose_log_speaks_of_the_machine_is_infrastructure(story: Story) -> None:
    logged(story, 1, INFRASTRUCTURE_LOG)
    assert told(story).of(1, None)["kind"] == "infrastructure"


def test_a_job_that_failed_alike_at_another_commit_is_not_new(story: Story) -> None:
    story.commit("m0")
    story.commit("m1", "m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    logged(story, 1, BUILD_LOG, sha=sha("m1"))
    logged(story, 2, BUILD_LOG, sha=sha("a1"), event="pull_request", pr=7, branch="topic-7", tree=sha("t"))
    verdicts = told(story)
    assert verdicts.of(2, None)["kind"] == "undecided"
    assert verdicts.of(2, None)["whose"] == "not-yours"
    first, *_ = verdicts.of(2, None)["reasons"]
    assert (first["kind"], first["runs"]) == ("seen-without-change", [1])


def test_another_workflows_job_of_the_same_name_is_another_job(story: Story) -> None:
    story.commit("m0")
    story.commit("m1", "m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    logged(story, 1, BUILD_LOG, sha=sha("m1"), workflow="nightly")
    logged(story, 2, BUILD_LOG, sha=sha("a1"), event="pull_request", pr=7, branch="topic-7", tree=sha("t"))
    assert call(told(story).of(2, None)) == ("new-failure", "suspected", "unknown")


def test_a_job_that_passes_on_the_same_code_shows_the_flake_that_was_asked_for(story: Story) -> None:
    logged(story, 1, EXIT_LOG)
    story.job(1, GREEN, attempt=2)
    assert call(told(story).of(1, None)) == ("flaky", "likely", "unknown")


def test_a_cancelled_re_run_of_a_job_is_no_pass(story: Story) -> None:
    logged(story, 1, EXIT_LOG)
    story.job(1, None, attempt=2, conclusion="cancelled")
    assert told(story).of(1, None)["kind"] == "undecided"


@pytest.mark.parametrize("end", ["cancelled", "skipped", "neutral", "stale"])
def test_what_was_cut_off_neither_excuses_nor_shows_a_flake_nor_proves_a_base(story: Story, end: str) -> None:
    story.commit("m0")
    story.commit("m1", "m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    for number in range(20):
        story.job(number + 10, GREEN, sha=sha(f"n{number}"), conclusion=end)
    story.job(1, RED, sha=sha("m1"), conclusion=end)
    for attempt in (1, 2, 3):
        story.pull(2, 7, "a1", RED, attempt=attempt)
    story.pull(3, 7, "a1", GREEN, conclusion=end)
    assert call(told(story).of(2)) == ("new-failure", "suspected", "unknown")


def test_main_that_cannot_be_built_on_three_commits_is_broken(story: Story) -> None:
    for number in range(3):
        story.commit(f"m{number}", *([f"m{number - 1}"] if number else []))
        logged(story, number + 1, BUILD_LOG, sha=sha(f"m{number}"))
    verdicts = told(story)
    assert {verdicts.of(run, None)["kind"] for run in (1, 2, 3)} == {"broken-main"}


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
