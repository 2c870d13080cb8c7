"""Where annotations stand, of which level they are, and what later steps are told."""

import json
from dataclasses import replace
from pathlib import Path

from told_jobs import diverged, hostile, job, not_reproduced

from app.domain.replay_words import CauseKind, ReplayVerdict
from app.domain.workflow_command import Annotation, Level, shown
from worker.commands.in_job.annotations import annotations
from worker.commands.in_job.outputs import outputs
from worker.commands.in_job.told import Replayed
from worker.replay.trial import Explained, Explanation


def first(one: Replayed, project: str = "") -> Annotation:
    return next(annotations(job(one, project=project)))


def told_of(one: Replayed, cause: Explained, text: str = "") -> Replayed:
    trials = tuple(replace(trial, failure_text=text) for trial in one.replay.trials)
    return replace(one, replay=replace(one.replay, explanation=Explanation(cause), trials=trials))


def test_the_error_stands_at_the_origins_frame_in_the_project() -> None:
    told = first(diverged(), "packages/planner")
    assert (told.level, told.file, told.line) == (Level.ERROR, "packages/planner/planner.py", 16)
    assert told.title == "rank-divergence in rank 0: test_plan"
    assert told.message.startswith("rank 0 raised ValueError after matched WORLD collective 14")


def test_without_an_exception_it_stands_where_the_rank_waits_alone() -> None:
    one = diverged()
    cause = replace(one.replay.explanation.cause, exception=None)
    told = first(told_of(one, cause))
    assert (told.file, told.line) == ("planner.py", 20)


def test_without_any_place_it_stands_where_pytest_says_that_the_test_failed() -> None:
    text = "E   assert False\n\nother.py:3: in f\ntest_planner.py:41: AssertionError"
    told = first(told_of(diverged(), Explained(CauseKind.NOT_EXPLAINED, "nothing fits"), text))
    assert (told.file, told.line) == ("test_planner.py", 41)
    nowhere = first(
        told_of(diverged(), Explained(CauseKind.NOT_EXPLAINED, "nothing fits"), "E   assert False")
    )
    assert (nowhere.file, nowhere.line) == ("test_planner.py", None)


def test_what_did_not_fail_again_is_a_notice_and_another_failure_a_warning() -> None:
    calm = first(not_reproduced())
    assert (calm.level, calm.file, calm.line) == (Level.NOTICE, "test_calm.py", None)
    assert calm.title == "not-reproduced: test_calm"
    other = diverged()
    other = replace(other, replay=replace(other.replay, verdict=ReplayVerdict.OTHER_FAILURE))
    assert first(other).level is Level.WARNING


def test_what_was_not_tried_and_what_was_missing_is_told_at_the_run() -> None:
    told = list(annotations(job(not_tried={"a": "b", "c": "d"}, notes=("No sandbox here.",))))
    assert [(one.level, one.message, one.file) for one in told] == [
        (Level.NOTICE, "2 red tests not replayed; the summary says why.", None),
        (Level.WARNING, "No sandbox here.", None),
    ]


def test_no_more_are_written_than_github_keeps() -> None:
    assert len(list(shown(annotations(job(*[diverged()] * 30))))) == 10


def test_outputs_name_the_first_test_with_a_cause() -> None:
    told = outputs(job(not_reproduced(), diverged()), Path("/out"), Path("/out/summary.md"))
    assert (told["test"], told["verdict"]) == ("test_planner.py::test_plan", "confirmed-flake")
    assert (told["cause"], told["rank"]) == ("rank-divergence", "0")
    assert (told["bundle"], told["summary"]) == ("/out", "/out/summary.md")
    assert [one["verdict"] for one in json.loads(told["tests"])] == ["not-reproduced", "confirmed-flake"]


def test_outputs_of_nothing_are_empty_words() -> None:
    told = outputs(job(), Path("/out"), Path("/out/summary.md"))
    assert (told["verdict"], told["cause"], told["rank"], told["test"], told["tests"]) == (
        "",
        "",
        "",
        "",
        "[]",
    )


def test_outputs_hold_hostile_names_as_json() -> None:
    told = outputs(job(hostile("a\nverdict<<x\nb")), Path("/out"), Path("/out/summary.md"))
    assert "\n" not in told["tests"]
