"""Which arms come first: what the original failure looks like decides."""

import pytest

from app.domain.replay_words import Arm
from worker.replay.limits import Limits
from worker.replay.plan.ladder import CrashClass, crash_class, ladder_for
from worker.replay.suspect import Original

ASKED = Limits(timeout_s=60)


def _raised(type_: str, message: str) -> Original:
    text = (
        "    def test_ranks():\n>       run()\n\ntest_ranks.py:9: \n_ _ _ _\n"
        f"test_ranks.py:4: in run\n    work()\nE   {type_}: {message}\n\ntest_ranks.py:4: {type_}\n"
    )
    return Original(f"{type_}: {message}", text)


@pytest.mark.parametrize(
    ("original", "points_at", "first"),
    [
        (None, CrashClass.UNKNOWN, Arm.CPU_QUARTER),
        (_raised("OSError", "[Errno 98] Address already in use"), CrashClass.PORT, Arm.PORTS),
        (
            _raised("DistNetworkError", "The server socket has failed to bind to port 4711: EADDRINUSE"),
            CrashClass.PORT,
            Arm.PORTS,
        ),
        (_raised("TimeoutError", "timed out after 20 s"), CrashClass.TIMEOUT, Arm.CPU_QUARTER),
        (_raised("RuntimeError", "rank 0 missed 3 heartbeats"), CrashClass.LATENCY, Arm.PAUSE),
        (_raised("AssertionError", "step took 0.081s"), CrashClass.LATENCY, Arm.PAUSE),
        (
            _raised("DistStoreError", "wait timeout after 1000ms, keys: /ready, TCPStore"),
            CrashClass.STORE,
            Arm.STORE_DELAY,
        ),
        (_raised("RuntimeError", "Gloo connectFullMesh failed"), CrashClass.INIT, Arm.PAUSE),
        (_raised("MemoryError", "cannot allocate memory"), CrashClass.MEMORY, Arm.MEMORY),
        (
            Original("assert False", "Fatal Python error: Aborted\nterminate called without an exception"),
            CrashClass.CRASH,
            Arm.PLAIN,
        ),
        (
            _raised("AssertionError", "assert all(p.exitcode == 0 for p in processes)"),
            CrashClass.CRASH,
            Arm.PLAIN,
        ),
        (_raised("AssertionError", "assert 3 == 4"), CrashClass.UNKNOWN, Arm.CPU_QUARTER),
        (_raised("ValueError", "no packing fits budget"), CrashClass.UNKNOWN, Arm.CPU_QUARTER),
    ],
)
def test_the_original_failure_orders_the_arms(
    original: Original | None, points_at: CrashClass, first: Arm
) -> None:
    assert crash_class(original) is points_at
    assert ladder_for(original, ASKED).arms[0] is first


def test_a_crash_is_looked_for_bare_most_of_the_time_and_plain_and_paused_first() -> None:
    ladder = ladder_for(Original("assert False", "E  Fatal Python error: Aborted"), ASKED)
    assert ladder.bare_most
    assert ladder.arms[:2] == (Arm.PLAIN, Arm.PAUSE)


@pytest.mark.parametrize("original", [None, _raised("OSError", "Address already in use"), Original("", "")])
def test_every_ladder_has_the_quotas_and_pauses_once(original: Original | None) -> None:
    arms = ladder_for(original, ASKED).arms
    assert len(set(arms)) == len(arms)
    assert {Arm.CPU_QUARTER, Arm.CPU_HALF, Arm.PAUSE} <= set(arms)
    assert Arm.NEIGHBOURS not in arms


def test_quotas_that_would_loosen_what_was_asked_are_left_out() -> None:
    arms = ladder_for(None, Limits(timeout_s=60, cpus=0.5)).arms
    assert Arm.CPU_QUARTER in arms
    assert not {Arm.CPU_HALF, Arm.CPU_1} & set(arms)


def test_tightest_arm_is_the_smallest_quota_that_is_there() -> None:
    assert ladder_for(None, ASKED).tightest is Arm.CPU_QUARTER
    assert ladder_for(None, Limits(timeout_s=60, cpus=0.25)).tightest is Arm.PAUSE


def test_the_order_is_told_in_words() -> None:
    assert "address in use" in ladder_for(_raised("OSError", "Address already in use"), ASKED).why


def test_a_text_of_megabytes_is_read_in_bounded_time() -> None:
    assert crash_class(Original("x" * 10_000_000, "heart" * 2_000_000)) is CrashClass.UNKNOWN
