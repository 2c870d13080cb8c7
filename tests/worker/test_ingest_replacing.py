"""`ingest --replace`: a job that was told wrongly is as if it had been told rightly at once."""

from pathlib import Path

import pytest
from ingest_story import Story, call, invoke, json_lines, said, sha, story_in, traceback
from test_ingest import contents

from app.settings import Settings

RED = {"test_one": traceback("test_one"), "test_two": "passed"}
GREEN = {"test_one": "passed", "test_two": "passed"}
KEYS = ("jobs", "results", "failures", "gaps", "status")


@pytest.fixture
def story(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Story:
    return story_in(tmp_path / "story", settings.data_dir, monkeypatch)


def replace(story: Story) -> list[tuple[object, ...]]:
    manifest, _ = story.write()
    told = json_lines(invoke("ingest", "--manifest", str(manifest), "--replace", "--json"))
    return [tuple(unit[key] for key in KEYS) for unit in told]


def test_a_job_told_as_failed_by_a_wrong_path_is_corrected(story: Story, settings: Settings) -> None:
    right = story.job(1, GREEN)
    story.entries = [right | {"paths": ["nosuch.xml"], "conclusion": "failure"}]
    invoke("ingest", "--manifest", str(story.write()[0]))
    assert said().of(1, None)["gaps"]
    story.entries = [right]
    assert replace(story) == [(1, 2, 0, 0, "replaced")]
    assert said().verdicts == []
    for empty in ("failures", "verdicts", "evidence", "gaps", "groups"):
        assert contents(settings)[empty] == [], empty
    assert len(contents(settings)["attempts"]) == len(contents(settings)["jobs"]) == 1


def test_the_counters_count_a_replaced_job_once(story: Story, settings: Settings) -> None:
    right = story.job(1, GREEN)
    story.ingest()
    once = contents(settings)["daily_counts"]
    story.entries = [right | {"paths": [story.junit(RED | {"test_three": "passed"})]}]
    replace(story)
    assert contents(settings)["daily_counts"] != once
    story.entries = [right]
    replace(story)
    assert contents(settings)["daily_counts"] == once


def test_a_wrong_head_is_corrected_where_no_other_job_of_the_run_has_it(
    story: Story, settings: Settings
) -> None:
    wrong = story.job(1, RED, sha=sha("m1"))
    story.ingest()
    story.entries = [wrong | {"sha": sha("m2"), "event": "schedule"}]
    assert [unit[-1] for unit in replace(story)] == ["replaced"]
    assert [sha("m2") in row and "schedule" in row for row in contents(settings)["runs"]] == [True]


def test_the_other_jobs_of_an_attempt_stay_and_keep_its_head(story: Story, settings: Settings) -> None:
    story.job(1, RED, job="a", variant="a")
    red = story.job(1, RED, job="b", variant="b")
    story.ingest()
    story.entries = [red | {"sha": sha("other")}]
    refused = invoke("ingest", "--manifest", str(story.write()[0]), "--replace")
    assert refused.exit_code == 3
    assert "run 1 is known as a push of" in refused.stderr
    assert len(contents(settings)["failures"]) == 2, "what was refused has removed nothing"
    story.entries = [red | {"paths": [story.junit(GREEN)], "conclusion": "success"}]
    assert replace(story) == [(1, 2, 0, 0, "replaced")]
    assert ["'failure'" in row for row in contents(settings)["attempts"]] == [True]


def test_an_attempt_is_green_once_its_only_red_job_is(story: Story, settings: Settings) -> None:
    story.job(1, GREEN, job="a", variant="a")
    red = story.job(1, RED, job="b", variant="b")
    story.ingest()
    story.entries = [red | {"paths": [story.junit(GREEN)], "conclusion": "success"}]
    replace(story)
    assert ["'success'" in row for row in contents(settings)["attempts"]] == [True]


def test_what_was_thought_of_others_because_of_it_is_judged_again(story: Story) -> None:
    story.pull(1, 7, "a1", RED)
    flipped = {"tree": sha("ta1"), "branch": "topic-7", "base_sha": sha("m0")}
    story.pull(2, 7, "a1", GREEN, **flipped)
    story.ingest()
    assert call(said().of(1))[0] == "flaky"
    story.entries = [story.entries[1] | {"paths": [story.junit(RED)], "conclusion": "failure"}]
    replace(story)
    assert call(said().of(1))[0] != "flaky"


def test_two_lines_on_one_job_add_up_when_replaced(story: Story) -> None:
    story.job(1, GREEN)
    story.job(2, GREEN, sha=sha("m1"))
    story.job(1, {"test_three": traceback("test_three")})
    story.ingest()
    assert replace(story) == [
        (1, 2, 0, 0, "replaced"),
        (1, 2, 0, 0, "replaced"),
        (1, 3, 1, 0, "new"),
    ]


def test_replacing_what_is_not_stored_takes_it(story: Story) -> None:
    story.job(1, RED)
    assert replace(story) == [(1, 2, 1, 0, "new")]


def test_a_group_is_as_old_as_what_is_left_of_it(story: Story) -> None:
    first = story.job(1, RED)
    story.job(2, RED, sha=sha("m1"))
    story.ingest()
    before = json_lines(invoke("groups", "--json"))
    story.entries = [first | {"paths": [story.junit(GREEN)], "conclusion": "success"}]
    replace(story)
    after = json_lines(invoke("groups", "--json"))
    assert [(one["group"], one["failures"]) for one in after] == [(before[0]["group"], 1)]
    assert after[0]["first_seen"] == before[0]["last_seen"]
