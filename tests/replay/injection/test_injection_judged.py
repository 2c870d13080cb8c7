"""From the folders of trials to answers; the folders are written by hand, as an engine leaves them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_trials import made

from app.domain.injection import Answer, Grade, Shown
from app.domain.replay_words import Outcome
from worker.replay.injection.judged import judged
from worker.replay.probe.inject import CONTROL
from worker.replay.trial import Trial
from worker.replay.trial_folder import JOURNALS, STDERR, STDOUT


def the_answer(tmp_path: Path, trial: Trial) -> Answer:
    (answer,) = judged([made(tmp_path, 1, Outcome.PASSED, CONTROL), trial]).answers
    return answer


def test_what_the_failure_says_is_judged_with_its_time(tmp_path: Path) -> None:
    trial = replace(made(tmp_path, 3, Outcome.FAILED), failure_message="rank 1: OURS")
    answer = the_answer(tmp_path, trial)
    assert (answer.shown, answer.names_rank, answer.names_cause) == (Shown.FAILURE, True, True)
    assert (answer.seconds, answer.extra_s, answer.grade) == (6.0, 4.0, Grade.A)


@pytest.mark.parametrize(
    ("name", "shown"), [(STDOUT, Shown.OUTPUT), (STDERR, Shown.OUTPUT), ("other.txt", Shown.NOWHERE)]
)
def test_a_cause_that_only_the_output_has_is_hidden(tmp_path: Path, name: str, shown: Shown) -> None:
    trial = replace(made(tmp_path, 2, Outcome.FAILED), failure_message="assert False")
    (trial.folder / name).write_text("RuntimeError: OURS\n")
    assert the_answer(tmp_path, trial).shown is shown


@pytest.mark.parametrize(
    ("outcome", "reached", "shown"),
    [
        (Outcome.PASSED, True, Shown.PASSED),
        (Outcome.TIMED_OUT, True, Shown.NO_END),
        (Outcome.PASSED, False, Shown.NOT_REACHED),
        (Outcome.NO_TRIAL, True, Shown.NO_TRIAL),
        (Outcome.VOID, True, Shown.NO_TRIAL),
    ],
)
def test_what_came_of_it_otherwise(tmp_path: Path, outcome: Outcome, reached: bool, shown: Shown) -> None:  # noqa: FBT001 - a table's column
    assert the_answer(tmp_path, made(tmp_path, 2, outcome, reached=reached)).shown is shown


def test_a_test_that_waited_out_its_own_limits_when_ours_ended_it_is_not_graded(tmp_path: Path) -> None:
    trial = made(tmp_path, 2, Outcome.TIMED_OUT, "rank=1,at=init,how=hang")
    trial = replace(trial, reason="it ran longer than 60 s")
    site = ["tests/test_it.py", 40, "test_it", "p.join(timeout=30)", True]
    told = {"timeout_s": 30, "seconds": 30.01, "site": site}
    (trial.folder / JOURNALS / "5.expired").write_text(json.dumps(told) + "\n")
    answer = the_answer(tmp_path, trial)
    assert (answer.shown, answer.grade, answer.takes_whole_timeout) == (Shown.CUT_SHORT, None, True)
    assert answer.reason == (
        "it ran longer than 60 s, and was waiting out limits of its own: a longer --timeout tells how it ends"
    )


def test_our_own_words_on_a_death_of_pytest_are_not_the_tests(tmp_path: Path) -> None:
    said = "pytest's own process was ended by SIGKILL before it wrote its results"
    trial = made(tmp_path, 2, Outcome.FAILED, "rank=1,at=init,how=kill")
    answer = the_answer(tmp_path, replace(trial, failure_message=said, reason=said))
    assert (answer.names_cause, answer.shown, answer.grade) == (False, Shown.NOWHERE, Grade.E)
    assert (answer.message, answer.reason) == ("", said)


def test_of_several_trials_with_one_fault_the_worst_counts(tmp_path: Path) -> None:
    good = replace(made(tmp_path, 2, Outcome.FAILED), failure_message="rank 1: OURS")
    bad = replace(made(tmp_path, 3, Outcome.FAILED), failure_message="assert False")
    found = judged([made(tmp_path, 1, Outcome.PASSED, CONTROL), good, bad])
    assert [one.trial for one in found.answers] == [3]
    assert found.ranks == 2


def test_without_a_control_that_passes_nothing_is_said(tmp_path: Path) -> None:
    red = replace(made(tmp_path, 1, Outcome.FAILED, CONTROL), failure_message="assert 1 == 2\nmore")
    assert judged([red]).ungraded == "it fails without a fault: assert 1 == 2"
    skipped = replace(made(tmp_path, 2, Outcome.NO_TRIAL, CONTROL), reason="the test was skipped: not here")
    assert judged([skipped]).ungraded == "the test was skipped: not here"
    assert judged([]).ungraded == "it was not run"
