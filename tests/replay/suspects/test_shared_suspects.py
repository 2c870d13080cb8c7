"""Suspects that others wrote, under the full plan: verdict and cause as in their headers.

They are read from the folder of shared data, and never copied: set FLAKE_TRIAGE_CORPUS to the folder that
holds `suspects`.
"""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from expectations import ANY, SEEN_BY_ONE_OR_BY_ALL, Expected, divergence, exception, late, mismatch, of
from replayed import lines_of, replay_whole
from test_full_plan import BUDGET_S, complaints

from app.domain.replay_words import CauseKind, ReplayVerdict

FOLDER = Path(os.getenv("FLAKE_TRIAGE_CORPUS") or Path(__file__).parents[4] / "shared") / "suspects"

pytestmark = [
    pytest.mark.accept,
    pytest.mark.timeout(580),
    pytest.mark.skipif(
        not FOLDER.exists(), reason="no suspects: set FLAKE_TRIAGE_CORPUS to the folder that holds suspects"
    ),
]

FLAKE, ALWAYS, NEVER = (
    ReplayVerdict.CONFIRMED_FLAKE,
    ReplayVerdict.DETERMINISTIC,
    ReplayVerdict.NOT_REPRODUCED,
)
LONG_S = 500.0
"""A flake of one run in six or ten takes its time, on a machine that others use too."""

OWN_EXIT = ("while exiting", "after its work")

EXPECTED: tuple[tuple[int, ReplayVerdict, Expected], ...] = (
    (
        1,
        FLAKE,
        of(
            CauseKind.CRASH_SIGNAL,
            "test_s00_abort_at_exit.py::test_handoff",
            ANY,
            *OWN_EXIT,
            "terminate called without an active exception",
            never=("raised", "slow", "timed out", "killed from outside"),
        ),
    ),
    (
        2,
        FLAKE,
        exception(
            "test_s01_unread_rank1_traceback.py::test_handoff",
            1,
            "shard digest mismatch",
            "_verify_shard",
            never=("timed out", "slow", "signal", "rank 0 raised"),
        ),
    ),
    (
        2,
        ALWAYS,
        divergence(
            "test_s03_lonely_collective.py::test_planner",
            0,
            "no packing fits",
            "_estimate",
            "14",
            "15",
            "MIN",
            never=("crash", "slow"),
        ),
    ),
    (
        2,
        ALWAYS,
        of(
            CauseKind.CRASH_SIGNAL,
            "test_s04_segv.py::test_segv",
            1,
            "SIGSEGV",
            "_native",
            never=("while exiting",),
        ),
    ),
    (2, ALWAYS, of(CauseKind.PORT_IN_USE, "test_s06_port_in_use.py::test_port", 0, "EADDRINUSE")),
    (
        3,
        ALWAYS,
        of(
            CauseKind.TERMINATED_SLOW,
            "test_s08_slow_terminated.py::test_slow",
            1,
            "_crunch",
            never=("signal 11", "died of", "memory"),
        ),
    ),
    (3, ALWAYS, mismatch("test_s09_order_mismatch.py::test_order", "all_reduce(SUM)", "broadcast")),
    (3, NEVER, of(CauseKind.NONE, "test_s13_always_passes.py::test_ok", None)),
    (4, FLAKE, exception("test_s14_ten_percent.py::test_ten", 0, "norm drifted", "_check")),
    (5, FLAKE, late("test_s15_cpu_bound_deadline.py::test_deadline", 0, "barrier")),
    (
        6,
        FLAKE,
        Expected(
            "test_t02_latency_budget.py::test_latency", SEEN_BY_ONE_OR_BY_ALL, ANY, ("step took", "_steps")
        ),
    ),
    (6, FLAKE, exception("test_t05_async_save.py::test_save", 1, "checkpoint incomplete", "_load")),
    (7, FLAKE, exception("test_t06_heartbeat.py::test_heartbeat", 1, "rank 0 looks dead", "_watch")),
)


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        pytest.param(verdict, replace(expected, project=FOLDER), id=f"shared-{part}-{expected.name}")
        for part, verdict, expected in EXPECTED
    ],
)
def test_verdict_and_cause_are_those_of_the_header(
    verdict: ReplayVerdict, expected: Expected, tmp_path: Path
) -> None:
    report = replay_whole(
        expected.asked, tmp_path / "replay", budget_s=LONG_S if verdict is FLAKE else BUDGET_S
    )
    print(lines_of(report))  # noqa: T201 - shown with -rP
    assert not complaints(expected, report, verdict)
