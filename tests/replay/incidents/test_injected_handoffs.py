"""Incident 1's weak test and its mended twin under faults of ours: what each says, and how soon."""

import sys
from pathlib import Path

import pytest
from replayed import INCIDENTS

from app.domain.injection import Answer, Grade, Injected, Shown
from app.domain.replay_words import ReplayVerdict
from worker.replay.injecting import inject
from worker.replay.limits import Limits
from worker.replay.probe.inject import parse
from worker.replay.request import Request
from worker.replay.suspect import Suspect

WEAK, MENDED = (f"test_handoff_{which}.py::test_handoff_is_exact" for which in ("weak", "mended"))
HIDDEN = {Grade.D, Grade.E}


def injected(test: str, spec: str, out: Path) -> Injected:
    suspect = Suspect(test, INCIDENTS, Path(sys.executable))
    request = Request(suspect, out, budget_s=110, limits=Limits(timeout_s=60), seed=1)
    done = inject(request, parse(spec))
    assert done.verdict is ReplayVerdict.BUDGET_EXHAUSTED, done.sentence  # of its one control
    assert done.injected is not None
    assert done.injected.ranks == 2
    return done.injected


def answer_of(test: str, spec: str, out: Path) -> Answer:
    (answer,) = injected(test, spec, out).answers
    return answer


def test_the_weak_test_names_nothing_and_takes_its_whole_timeout(tmp_path: Path) -> None:
    answer = answer_of(WEAK, "rank=1,at=init", tmp_path / "out")
    assert answer.grade in HIDDEN, answer
    assert (answer.names_rank, answer.names_cause, answer.message) == (False, False, "_queue.Empty")
    assert answer.takes_whole_timeout
    assert answer.waited.startswith("a time limit of 4 s at test_handoff_weak.py:")


def test_the_mended_test_shows_the_rank_and_its_traceback_within_seconds(tmp_path: Path) -> None:
    answer = answer_of(MENDED, "rank=1,at=init", tmp_path / "out")
    assert (answer.grade, answer.shown) == (Grade.A, Shown.FAILURE), answer
    assert answer.message == "RuntimeError: INJECTED_RANK1_FAILURE"


def test_the_weak_test_shows_nothing_of_a_rank_that_was_killed(tmp_path: Path) -> None:
    answer = answer_of(WEAK, "rank=1,at=collective=2,how=kill", tmp_path / "out")
    assert (answer.grade, answer.shown, answer.message) == (Grade.E, Shown.NOWHERE, "assert False"), answer


@pytest.mark.parametrize(("how", "says"), [("kill", "SIGKILL"), ("exit", "exited with code 86")])
def test_the_mended_test_says_which_rank_is_gone_and_how(how: str, says: str, tmp_path: Path) -> None:
    answer = answer_of(MENDED, f"rank=1,at=collective=2,how={how}", tmp_path / "out")
    assert answer.grade is Grade.A, answer
    assert "rank 1" in answer.message
    assert says in answer.message


def test_the_mended_test_says_which_rank_did_not_come(tmp_path: Path) -> None:
    answer = answer_of(MENDED, "rank=1,at=collective=3,how=hang", tmp_path / "out")
    assert answer.grade is Grade.A, answer
    assert answer.message == "rank 1: did not report, and is still running"
    assert answer.waited.startswith("the process group's time limit of 3 s")


def test_what_a_killed_rank_leaves_behind_is_told(tmp_path: Path) -> None:
    test = "test_helped_ranks.py::test_helped_ranks_meet"
    answer = answer_of(test, "rank=1,how=kill", tmp_path / "out")
    told = "\n".join(answer.left)
    assert answer.left[0].startswith("1 process: "), told
    assert answer.left[1].startswith("1 listening port: "), told
    assert "1 file in shared memory: handoff_1" in answer.left
    assert any(one.startswith("1 file in the temporary folder: tmp") for one in answer.left), told


@pytest.mark.accept
@pytest.mark.parametrize("at", ["init", "collective=1", "exit"])
@pytest.mark.parametrize("how", ["raise", "exit", "kill", "hang"])
def test_every_fault_is_hidden_by_the_weak_test_and_named_by_the_mended_one(
    at: str, how: str, tmp_path: Path
) -> None:
    spec = f"rank=1,at={at},how={how}"
    hidden, named = (answer_of(test, spec, tmp_path / test[:18]) for test in (WEAK, MENDED))
    assert hidden.grade in HIDDEN, hidden
    assert named.grade in {Grade.A, Grade.B}, named  # B on a machine that has others to serve
