"""Histories made to get an excuse, or an accusation, without ground; each was got once."""

from datetime import timedelta
from pathlib import Path

import pytest
from ingest_story import Story, call, said, sha, story_in, traceback

from app.settings import Settings

FAILS = {"test_one": traceback("test_one")}
PASSES = {"test_one": "passed"}


@pytest.fixture
def story(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Story:
    return story_in(tmp_path / "story", settings.data_dir, monkeypatch)


def on_main(story: Story, *names: str) -> None:
    """Commits of main, one on the other."""
    for index, name in enumerate(names):
        story.commit(name, *names[max(0, index - 1) : index])


def clean_main(story: Story, runs: int, *, first_run: int = 10, **facts: object) -> None:
    for run in range(first_run, first_run + runs):
        story.job(run, PASSES, **facts)


def test_an_earlier_form_of_the_change_on_its_own_branch_excuses_nothing(story: Story) -> None:
    on_main(story, "m0")
    story.commit("old", "m0", branch="topic-7")
    story.commit("new", "m0", branch="topic-7", pr=7)
    story.job(1, FAILS, sha=sha("old"), branch="topic-7")
    story.pull(2, 7, "new", FAILS)
    story.ingest()
    assert call(said().of(2))[2] == "unknown"


def test_the_merge_queues_own_commit_excuses_nothing(story: Story) -> None:
    on_main(story, "m0")
    story.commit("queued", "m0", branch="gh-readonly-queue/main/pr-7")
    story.commit("new", "m0", branch="topic-7", pr=7)
    story.job(1, FAILS, sha=sha("queued"), branch="gh-readonly-queue/main/pr-7", event="merge_group")
    story.pull(2, 7, "new", FAILS)
    story.ingest()
    assert call(said().of(2))[2] == "unknown"


def test_a_failure_mended_long_ago_does_not_excuse_who_brings_it_back(story: Story) -> None:
    on_main(story, "m0", "m1")
    story.job(5, FAILS)
    clean_main(story, 30, sha=sha("m1"))
    story.commit("back", "m1", branch="topic-7", pr=7)
    for run in range(100, 105):
        story.pull(run, 7, "back", FAILS, base_sha=sha("m1"))
    story.ingest()
    assert call(said().of(104))[2] != "not-yours"


@pytest.mark.parametrize("elsewhere", [{"job": "test (windows)", "variant": "test (windows)"}, {}])
def test_against_a_clean_base_another_job_excuses_nothing(story: Story, elsewhere: dict[str, str]) -> None:
    on_main(story, "m0")
    outcomes = FAILS if elsewhere else {"test_one[cpu]": traceback("test_one"), "test_one[cuda]": "passed"}
    ours = FAILS if elsewhere else {"test_one[cuda]": traceback("test_one")}
    clean = PASSES if elsewhere else {"test_one[cuda]": "passed"}
    for run in range(10, 32):
        story.job(run, clean)
    story.job(40, outcomes, **elsewhere)
    story.commit("a", "m0", branch="topic-7", pr=7)
    for run in range(100, 105):
        story.pull(run, 7, "a", ours)
    story.ingest()
    test = "test_one" if elsewhere else "test_one[cuda]"
    assert call(said().of(104, test))[2] != "not-yours"


@pytest.mark.parametrize("names", [("test", "test"), ("test (1/2)", "test (2/2)")])
def test_jobs_beside_each_other_in_one_attempt_are_no_flip(story: Story, names: tuple[str, str]) -> None:
    on_main(story, "m0")
    variants = {"test": "test", "test (1/2)": "test", "test (2/2)": "test"}
    for number, (name, outcomes) in enumerate(zip(names, (PASSES, FAILS), strict=True), start=1):
        story.job(1, outcomes, job=name, variant=variants[name], job_id=number)
    story.ingest()
    assert call(said().of(1))[0] != "flaky"


def test_a_pull_request_is_measured_by_the_branch_that_it_goes_to(story: Story) -> None:
    """The release branch was never tested, so what main did proves nothing."""
    on_main(story, "m0")
    clean_main(story, 22)
    story.commit("r0", branch="release")
    story.commit("a", "r0", branch="topic-7", pr=7)
    for run in range(100, 103):
        story.pull(run, 7, "a", FAILS, base_sha=sha("r0"))
    story.ingest()
    assert call(said().of(102))[0] != "regression"


def test_jobs_beside_each_other_are_one_failure_not_five(story: Story) -> None:
    on_main(story, "m0")
    clean_main(story, 20)
    for number in range(1, 6):
        facts = {"job": "test (3.12)", "job_id": number}
        story.pull(100, 7, "a", FAILS, **facts)
    story.ingest()
    kinds = {verdict["kind"] for verdict in said().verdicts if verdict["run"] == 100}
    assert "regression" not in kinds


def test_twenty_attempts_of_one_run_prove_no_base(story: Story) -> None:
    on_main(story, "m0")
    for attempt in range(1, 21):
        story.job(10, PASSES, attempt=attempt)
    for run in range(100, 103):
        story.pull(run, 7, "a", FAILS)
    story.ingest()
    assert call(said().of(102))[0] != "regression"


def test_passes_of_two_months_ago_prove_no_base(story: Story) -> None:
    on_main(story, "m0")
    clean_main(story, 22)
    story.at += timedelta(days=60)
    for run in range(100, 103):
        story.pull(run, 7, "a", FAILS)
    story.ingest()
    assert call(said().of(102))[0] != "regression"


def test_another_value_in_the_same_comparison_excuses_nothing(story: Story) -> None:
    def compares(value: str) -> dict[str, str]:
        text = (
            "    def test_one():\n>       assert name() == 'pear'\n"
            f"E       AssertionError: assert '{value}' == 'pear'\n\ntests/test_a.py:9: AssertionError"
        )
        return {"test_one": text}

    on_main(story, "m0")
    story.commit("b", "m0", branch="topic-6", pr=6)
    story.commit("a", "m0", branch="topic-7", pr=7)
    story.pull(1, 6, "b", compares("apple"))
    story.pull(2, 7, "a", compares("database corrupt"))
    story.pull(3, 7, "a", compares("apple"))
    story.ingest()
    assert call(said().of(2))[2] == "unknown"
    assert call(said().of(3))[2] == "not-yours"
