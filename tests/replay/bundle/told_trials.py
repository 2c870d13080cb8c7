"""Replays made up whole: the facts of incident 2's shape, and a report on them as the engine has it."""

from dataclasses import replace
from pathlib import Path

from app.domain.replay_words import Arm, CauseKind, FindingKind, Outcome, ReplayVerdict
from worker.replay.facts import (
    WORLD,
    Collective,
    Exit,
    Frame,
    Group,
    Init,
    Linked,
    Pause,
    Process,
    Raised,
    Seen,
    Teardown,
    Throttling,
    TrialFacts,
)
from worker.replay.limits import Held, Hold, Limits, Usage
from worker.replay.report import ArmCount, Bound, Replay, Sensitivity
from worker.replay.trial import (
    Explained,
    Explanation,
    Finding,
    Position,
    Thrown,
    Trial,
    TrialSpec,
    Window,
)

MS = 1_000_000
S = 1000 * MS
MAIN, RANK_0, RANK_1 = 10, 20, 21
ESTIMATE = Frame("planner.py", 16, "_estimate", "raise ValueError('no packing fits')", in_project=True)
REDUCE = Frame("planner.py", 20, "_all_true", "dist.all_reduce(flag)", in_project=True)
HELD = Held("cgroup-v1", Hold.ENFORCED, Hold.ENFORCED, Hold.ENFORCED, "bubblewrap")


def processes() -> tuple[Process, ...]:
    ranks = [
        Process(
            pid,
            MAIN,
            ("python",),
            S,
            "fork",
            f"Worker-{rank}",
            "3.11.7",
            "2.13.0",
            rank,
            2,
            "init",
            observed=True,
        )
        for rank, pid in enumerate((RANK_0, RANK_1))
    ]
    return (Process(MAIN, 1, ("python", "-m", "pytest"), 0, python="3.11.7", observed=True), *ranks)


def reduction(pid: int, number: int, *, t_out: int | None = 0, error: int | None = None) -> Collective:
    begins = 2 * S + number * 2 * MS + (pid - RANK_0) * MS // 2
    return Collective(
        pid,
        WORLD,
        number,
        "all_reduce",
        begins,
        begins + MS if t_out == 0 else t_out,
        reduce_op="MIN",
        shapes=((1,),),
        dtypes=("int64",),
        site=REDUCE,
        error=error,
    )


def lonely_facts() -> TrialFacts:
    """Fourteen matched reductions, then rank 0 raises, and rank 1 enters the fifteenth alone for 3 s."""
    cause = Linked("KeyError", "'budget'", (ESTIMATE,), context=Linked("OSError", "no cache"))
    raised = Raised(
        2 * S + 31 * MS, RANK_0, "MainThread", Seen.HANDLED, "ValueError", "no packing fits <7>", 1
    )
    return TrialFacts(
        bare=False,
        began=0,
        ended=6 * S,
        main=MAIN,
        processes=processes(),
        exits=(
            Exit(RANK_0, 5 * S + 200 * MS, 0, "pidfd"),
            Exit(RANK_1, 5 * S + 100 * MS, -6, "pidfd"),
            Exit(MAIN, 6 * S, 1, "wait"),
        ),
        inits=tuple(
            Init(pid, S + 800 * MS, S + 900 * MS, rank=rank, world=2)
            for rank, pid in enumerate((RANK_0, RANK_1))
        ),
        teardowns=(Teardown(RANK_0, 5 * S + 150 * MS, 5 * S + 160 * MS),),
        groups=tuple(Group(pid, WORLD, (0, 1), S + 900 * MS, 3.0) for pid in (RANK_0, RANK_1)),
        collectives=(
            *(reduction(pid, number) for pid in (RANK_0, RANK_1) for number in range(1, 15)),
            reduction(RANK_1, 15, t_out=5 * S + 50 * MS, error=2),
        ),
        raised=(
            replace(raised, frames=(ESTIMATE,), cause=cause),
            Raised(5 * S + 50 * MS, RANK_1, "MainThread", Seen.UNCAUGHT, "RuntimeError", "Timed out", 2),
        ),
        pauses=(Pause(RANK_1, S + 300 * MS, S + 500 * MS),),
        throttling=(Throttling(S, S + 200 * MS, 120 * MS),),
        usage=Usage(periods=60, throttled_periods=12, memory_peak_bytes=300 << 20),
        stderr_tail="Timed out waiting 3000ms\n<script>alert(1)</script>\n",
    )


def healthy_facts() -> TrialFacts:
    lonely = lonely_facts()
    calls = tuple(reduction(pid, number) for pid in (RANK_0, RANK_1) for number in range(1, 16))
    exits = tuple(Exit(pid, 3 * S, 0, "pidfd") for pid in (RANK_0, RANK_1, MAIN))
    return replace(
        lonely,
        ended=3 * S,
        collectives=calls,
        raised=(),
        exits=exits,
        pauses=(),
        throttling=(),
        stderr_tail="",
    )


def divergence() -> Explained:
    cause = Linked("KeyError", "'budget'", (ESTIMATE,), context=Linked("OSError", "no cache"))
    return Explained(
        kind=CauseKind.RANK_DIVERGENCE,
        sentence="rank 0 raised ValueError after matched WORLD collective 14; rank 1 entered number 15 alone",
        rank=0,
        exception=Thrown("ValueError", "no packing fits <7>", cause, None, (ESTIMATE,)),
        collective=Position(WORLD, 15, "all_reduce", "MIN", "planner.py:20 in _all_true", 1),
        window=Window(
            "planner.py:16 in _estimate", "planner.py:20 in _all_true", {0: (ESTIMATE,), 1: (REDUCE,)}
        ),
        consequences=("rank 1 timed out after 3.0 s in all_reduce(MIN) number 15 on WORLD",),
        place="planner.py:_estimate",
    )


def trial(number: int, folder: Path, *, outcome: Outcome, bare: bool, arm: Arm = Arm.PLAIN) -> Trial:
    failed = outcome.is_failure
    explained = divergence() if failed else Explained(CauseKind.NONE)
    return Trial(
        spec=TrialSpec(number, "test_planner.py::test_plan", arm, bare, 7 * number, Limits(60.0)),
        outcome=outcome,
        folder=folder,
        seconds=6.0 if failed else 3.0,
        held=HELD,
        usage=Usage(periods=60, throttled_periods=12, memory_peak_bytes=300 << 20),
        exit_code=1 if failed else 0,
        failure_message="AssertionError: assert {0: 'ValueError'} == {0: None}" if failed else "",
        signature="v1:group:abc" if failed else None,
        explanation=Explanation(explained, matched={WORLD: 14 if failed else 15}),
    )


def replay_of(trials: tuple[Trial, ...]) -> Replay:
    failures = [one for one in trials if one.outcome.is_failure]
    return Replay(
        test="test_planner.py::test_plan",
        verdict=ReplayVerdict.CONFIRMED_FLAKE,
        sentence="2 failures that agree and 1 pass in 3 trials",
        explanation=failures[0].explanation,
        findings=(
            Finding(FindingKind.UNREAD_REPORT, "rank 0's <b>report</b> was put on a queue and never read"),
        ),
        trials=trials,
        arms=(ArmCount(Arm.PLAIN, 1, 1, 1, 2, 0, 15.0),),
        bound=Bound(2, 3, 0.094, 0.992),
        sensitivity=(
            Sensitivity(Arm.CPU_QUARTER, 5, 5, 0, 5, 0.004, only_under=True, text="only under cpu-0.25"),
        ),
        limits={"cpus": None, "memory": "512 MiB", "held": {"by": "cgroup-v1", "cpus": "enforced"}},
        decisions=("opened with three plain, bare trials", "went down the ladder to cpu-0.25"),
        seed=7,
    )
