"""How a trial ends, as its own results and exit code tell it; run for real, with and without walls."""

import signal

import pytest
from running import Project

from app.domain.pytest_node import to_test_id
from app.domain.replay_words import Outcome
from app.domain.signature import sign
from worker.replay.trial_folder import read_trial

TESTS = """
import os, signal, sys
import pytest

def test_passes(): pass
def test_fails(): assert 1 == 2
@pytest.mark.xfail
def test_is_expected_to_fail(): assert False
def test_skips(): pytest.skip("no such device")
@pytest.fixture
def broken(): raise ValueError("no such thing")
def test_has_a_broken_fixture(broken): pass
def test_leaves_with_zero(): os._exit(0)
def test_leaves_with_nine(): os._exit(9)
def test_is_killed(): os.kill(os.getpid(), signal.SIGKILL)
def test_aborts(): os.abort()
def test_interrupts(): os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.fixture
def tested(project: Project) -> Project:
    project.write(TESTS)
    project.write("import no_such_module\ndef test_never(): pass\n", "test_broken.py")
    return project


@pytest.mark.parametrize(
    ("test", "outcome", "said"),
    [
        ("test_it.py::test_passes", Outcome.PASSED, ""),
        ("test_it.py::test_is_expected_to_fail", Outcome.PASSED, "as it is marked to"),
        ("test_it.py::test_skips", Outcome.NO_TRIAL, "skipped: no such device"),
        ("test_broken.py::test_never", Outcome.NO_TRIAL, "No module named 'no_such_module'"),
        ("test_it.py::test_nowhere", Outcome.NO_TRIAL, "could not find or import the test: ERROR: not found"),
        ("no_such_file.py", Outcome.NO_TRIAL, "ERROR: file or directory not found"),
        ("test_it.py::test_leaves_with_zero", Outcome.FAILED, "exit code 0 before it wrote its results"),
        ("test_it.py::test_leaves_with_nine", Outcome.FAILED, "exit code 9 before it wrote its results"),
        ("test_it.py::test_is_killed", Outcome.FAILED, "ended by SIGKILL before it wrote its results"),
        ("test_it.py::test_aborts", Outcome.FAILED, "ended by SIGABRT before it wrote its results"),
        ("test_it.py::test_interrupts", Outcome.FAILED, "interrupted while the test ran"),
    ],
)
def test_outcome_is_told_with_its_reason(tested: Project, test: str, outcome: Outcome, said: str) -> None:
    shown = tested.run(test)
    assert shown.trial.outcome is outcome
    assert said in shown.trial.reason
    assert (shown.trial.signature is not None) == (outcome is Outcome.FAILED)
    assert shown.trial.cleanup.is_clean


def test_a_trial_begun_in_the_background_takes_an_interrupt_as_in_a_terminal(tested: Project) -> None:
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does that starts with &
    try:
        shown = tested.run("test_it.py::test_interrupts")
    finally:
        signal.signal(signal.SIGINT, former)
    assert shown.trial.outcome is Outcome.FAILED


def test_failure_is_signed_by_the_code_that_signs_those_of_ci(tested: Project) -> None:
    trial = tested.run("test_it.py::test_fails").trial
    in_ci = sign(
        test=to_test_id("test_it.py::test_fails"), message=trial.failure_message, text=trial.failure_text
    )
    assert (trial.outcome, trial.exit_code) == (Outcome.FAILED, 1)
    assert trial.failure_message == "assert 1 == 2"
    assert trial.signature == in_ci.group
    assert not trial.opaque


def test_broken_fixture_fails_the_test(tested: Project) -> None:
    trial = tested.run("test_it.py::test_has_a_broken_fixture").trial
    assert trial.outcome is Outcome.FAILED
    assert "no such thing" in trial.failure_message


def test_walls_and_the_probe_change_neither_outcome_nor_signature(tested: Project) -> None:
    ran = [
        tested.run("test_it.py::test_fails", bare=bare, isolated=isolated).trial
        for bare, isolated in ((True, False), (True, True), (False, True))
    ]
    assert {trial.outcome for trial in ran} == {Outcome.FAILED}
    assert len({trial.signature for trial in ran}) == 1
    assert [trial.held.isolation == "none" for trial in ran] == [True, False, False]


def test_trial_is_read_again_as_it_was_written(tested: Project) -> None:
    trial = tested.run("test_it.py::test_fails").trial
    assert read_trial(trial.folder) == trial


def test_project_is_left_as_it_was(tested: Project) -> None:
    tested.write("def test_writes(): open('left.txt', 'w').write('x')\n", "test_writing.py")
    before = sorted(path.name for path in tested.folder.iterdir())
    assert tested.run("test_writing.py").trial.outcome is Outcome.PASSED
    assert sorted(path.name for path in tested.folder.iterdir()) == before


def test_project_whose_options_need_pytests_cache_is_tried_without_an_old_one(tested: Project) -> None:
    tested.write("[pytest]\naddopts = --ff\n", "pytest.ini")
    cache = tested.folder / ".pytest_cache/v/cache"
    cache.mkdir(parents=True)
    (cache / "lastfailed").write_text('{"test_it.py::test_skips": true}')
    assert tested.run("test_it.py::test_passes").trial.outcome is Outcome.PASSED


def test_name_of_a_test_is_no_option(tested: Project) -> None:
    tested.write("def test_passes(): pass\n", "-x.py")
    assert tested.run("-x.py::test_passes").trial.outcome is Outcome.PASSED
    assert tested.run("--version").trial.outcome is Outcome.NO_TRIAL


def test_wrong_option_of_a_project_is_told_and_not_how_to_use_pytest(tested: Project) -> None:
    tested.write("[pytest]\naddopts = --no-such-option\n", "pytest.ini")
    reason = tested.run("test_it.py::test_passes").trial.reason
    assert "unrecognized arguments: --no-such-option" in reason
    assert "usage:" not in reason
