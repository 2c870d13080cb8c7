"""Both incidents' shapes: what a replay must show of them, and that it shows nothing of their controls."""

import re
from pathlib import Path

import pytest
from replayed import INCIDENTS, Asked, Replayed, replay_once

from app.domain.replay_words import CauseKind, FindingKind, Outcome
from worker.replay.facts import WORLD
from worker.replay.observed import Naming
from worker.replay.trial_folder import read_observed

RECOVERIES = (
    "neither releases",
    "first releases",
    "second releases",
    "both release",
    "first releases twice",
    "second releases twice",
    "first then second",
    "second then first",
    "both release twice",
)


def replayed(test: str, folder: Path, *, bare: bool = False) -> Replayed:
    return replay_once(Asked(test, project=INCIDENTS, bare=bare), folder)


def test_traceback_that_nobody_read_is_told(tmp_path: Path) -> None:
    found = replayed("test_handoff.py::test_handoff_is_exact[always]", tmp_path / "trial")
    assert (found.kind, found.cause.rank) == (CauseKind.RANK_EXCEPTION, 1), found.told
    assert found.cause.exception is not None
    assert found.cause.exception.type == "RuntimeError"
    assert found.cause.exception.message == "digest of shard 1 differs: 192"
    assert found.cause.exception.frames[-1].function == "_check_digest"
    assert {FindingKind.UNREAD_REPORT, FindingKind.INIT_OUTSIDE_TRY} <= found.findings, found.told
    assert found.trial.opaque


def test_slow_worker_is_not_taken_for_a_crashed_one(tmp_path: Path) -> None:
    found = replayed("test_handoff_slow.py::test_handoff_is_exact", tmp_path / "trial")
    assert (found.kind, found.cause.rank) == (CauseKind.TERMINATED_SLOW, 1), found.told
    assert "_write_shard" in found.cause.sentence


@pytest.mark.parametrize(
    ("case", "matched"), [("after-release", 14), pytest.param("first-use", 2, marks=pytest.mark.accept)]
)
def test_rank_that_raised_is_named_with_where_the_other_waits_alone(
    case: str, matched: int, tmp_path: Path
) -> None:
    found = replayed(f"test_planner.py::test_ranks_plan_alike[{case}]", tmp_path / "trial")
    cause = found.cause
    assert (found.kind, cause.rank) == (CauseKind.RANK_DIVERGENCE, 0), found.told
    assert cause.exception is not None
    assert (cause.exception.type, cause.exception.message) == ("ValueError", "no packing fits budget 7")
    assert cause.exception.cause is not None
    assert cause.exception.cause.type == "OverflowError"
    assert cause.exception.context is not None
    assert cause.exception.context.type == "StopIteration"
    assert cause.collective is not None
    assert (cause.collective.group, cause.collective.number) == (WORLD, matched + 1)
    assert (cause.collective.op, cause.collective.reduce_op) == ("all_reduce", "MIN")
    assert found.trial.explanation.matched == {WORLD: matched}, found.told
    _assert_named_early(found, matched + 1)
    _assert_window(found, matched + 1)


def _assert_named_early(found: Replayed, number: int) -> None:
    """Within two seconds, provisionally: the other rank lives, and might still come."""
    entered = next(one for one in found.facts.collectives if one.number == number and one.reduce_op == "MIN")
    naming, end = read_observed(found.trial.folder).namings
    assert (naming.what, naming.rank, naming.missing) == ("provisional", 1, (0,))
    assert (naming.group, naming.number, naming.op, naming.reduce_op) == (WORLD, number, "all_reduce", "MIN")
    assert naming.call_site is not None
    assert naming.call_site.endswith(" in all_ranks_true")
    assert naming.t - entered.t_in < 2e9
    own = [one.function for one in naming.stack if one.in_project]
    assert (naming.stack[0].function, *own[:2]) == ("all_reduce", "all_ranks_true", "_plan")
    _assert_known_of_the_missing(naming, number - 1)
    assert (end.what, end.absent) == ("borne-out", naming.absent)
    assert end.t - entered.t_in > 14e9


def _assert_known_of_the_missing(naming: Naming, last: int) -> None:
    (absent,) = naming.absent
    assert (absent.rank, absent.is_inside, absent.is_matched) == (0, False, True)
    assert absent.last is not None
    assert (absent.last.group, absent.last.number) == (WORLD, last)
    assert (absent.last.op, absent.last.reduce_op) == ("all_reduce", "MIN")
    assert absent.raised is not None
    assert (absent.raised.type, absent.raised.message) == ("ValueError", "no packing fits budget 7")
    assert absent.raised.frames[-1].function == "estimate_packing"
    assert absent.raised.cause is not None
    assert absent.raised.cause.type == "OverflowError"
    assert absent.raised.context is not None
    assert absent.raised.context.type == "StopIteration"
    assert [one.function for one in absent.stack][:2] == ["await_peer", "_plan"]


def _assert_window(found: Replayed, number: int) -> None:
    window = found.cause.window
    assert window is not None, found.told
    assert re.search(rf"WORLD collective {number - 1} .* at .*\.py:\d+ in ", window.after or ""), window.after
    assert re.search(rf"WORLD collective {number} .* at planning\.py:\d+ in ", window.before or ""), (
        window.before
    )
    assert set(window.frames_by_rank) == {0, 1}


def test_nothing_is_said_of_nine_healthy_recoveries_with_84_reductions(tmp_path: Path) -> None:
    found = replayed("test_recovery.py::test_ranks_recover_apart", tmp_path / "trial")
    assert (found.outcome, found.kind, found.findings) == (Outcome.PASSED, CauseKind.NONE, set()), found.told
    assert found.trial.explanation.matched == {WORLD: 84}
    assert sum(phase.when == "call" for phase in found.facts.phases) == 9


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_each_of_the_nine_recoveries_is_healthy_by_itself(tmp_path: Path) -> None:
    matched = 0
    for number, case in enumerate(RECOVERIES):
        found = replayed(f"test_recovery.py::test_ranks_recover_apart[{case}]", tmp_path / str(number))
        assert (found.outcome, found.kind, found.findings) == (Outcome.PASSED, CauseKind.NONE, set()), (
            found.told
        )
        matched += found.trial.explanation.matched[WORLD]
    assert matched == 84


def test_rank_that_handles_its_exception_and_comes_late_is_left_alone(tmp_path: Path) -> None:
    test = "test_recovery.py::test_rank_handles_its_exception_and_comes_later"
    found = replayed(test, tmp_path / "trial")
    assert (found.outcome, found.kind, found.findings) == (Outcome.PASSED, CauseKind.NONE, set()), found.told
    assert found.trial.explanation.matched == {WORLD: 4}
    provisional, withdrawn = read_observed(found.trial.folder).namings
    assert (provisional.what, withdrawn.what) == ("provisional", "withdrawn")
    assert provisional.t - provisional.since < 2e9
    assert [one.raised.type for one in provisional.absent if one.raised] == ["ValueError"]
