"""What a trial with a fault shows beside its message: waits that ran out, what was left, which faults fit."""

import json
from pathlib import Path

import pytest

from worker.replay.facts import Collective, Frame, Group, Init, Process, Survivor, TrialFacts
from worker.replay.injection.left import left_behind
from worker.replay.injection.places import Ground, ground_of, usual_faults
from worker.replay.injection.waited import Wait, longest, waits_of
from worker.replay.observed import Left, Observed

SECOND = 1_000_000_000
SITE = Frame("test_it.py", 12, "work", in_project=True)
NOTHING = TrialFacts(bare=False, began=0, ended=1, main=1)


def test_waits_that_ran_out_are_read_as_the_probe_wrote_them(tmp_path: Path) -> None:
    site = ["test_it.py", 7, "test_it", "queue.get(timeout=4)", True]
    good = json.dumps({"timeout_s": 3.99998, "seconds": 4.0, "site": site})
    (tmp_path / "9.expired").write_text(f'{good}\nno json\n{{"timeout_s": 1}}\n[]\n')
    (wait,) = waits_of(tmp_path, NOTHING, "")
    assert wait.words == "a time limit of 4 s at test_it.py:7 in test_it: queue.get(timeout=4)"


def test_limits_of_groups_and_of_pytest_timeout_are_waits_too(tmp_path: Path) -> None:
    call = Collective(7, "WORLD", 1, "all_reduce", 0, 3 * SECOND, site=SITE, error=5)
    facts = TrialFacts(
        **{
            **{name: getattr(NOTHING, name) for name in ("bare", "began", "ended", "main")},
            "groups": (Group(7, "WORLD", (0, 1), 0, timeout_s=3.0),),
            "collectives": (
                call,
                Collective(7, "WORLD", 2, "barrier", 0, 1 * SECOND, error=6),
                Collective(8, "other", 1, "barrier", 0, 9 * SECOND, error=6),
                Collective(7, "WORLD", 3, "barrier", 0, 9 * SECOND),
            ),
            "inits": (Init(7, 0, 5 * SECOND, timeout_s=5.0, error=1), Init(7, 0, 1, timeout_s=5.0, error=1)),
        }
    )
    told = [one.words for one in waits_of(tmp_path, facts, "Failed: Timeout (>10.0s) from pytest-timeout.")]
    assert told == [
        "the process group's time limit of 3 s at test_it.py:12 in work",
        "the process group's time limit of 5 s",
        "the test's own time limit of 10 s",
    ]


def test_a_wait_that_runs_out_where_the_test_passes_is_its_way() -> None:
    usual, short, long = (Wait(limit, limit, "a time limit", "here") for limit in (2.0, 3.0, 9.0))
    assert longest([usual, short, long], [usual]) == long
    assert longest([usual], [usual]) is None


def test_what_the_control_leaves_too_is_not_told() -> None:
    survivors = (Survivor(9, ("python", "work.py"), "S", (4000,)),)
    left = (Left("shm", ("psm_1a2b3c4d", "torch_77_8")), Left("tmp", ("tmpabcd1234/meet",)))
    with_fault = Observed(0, 1, survivors=survivors, left=left)
    control = Observed(0, 1, left=(Left("shm", ("psm_99aabbcc",)), Left("tmp", ("tmpzyxw9876/meet",))))
    assert left_behind(with_fault, control) == (
        "1 process: python work.py",
        "1 listening port: 4000",
        "1 file in shared memory: torch_77_8",
    )
    assert left_behind(with_fault, with_fault) == ()
    many = Observed(0, 1, left=(Left("project", tuple("abcde")),))
    assert left_behind(many, None) == ("5 files in the project: a, b, c and 2 more",)


def _process(pid: int, rank: int | None, source: str | None = "init", world: int | None = 2) -> Process:
    return Process(pid, 1, ("python",), 0, rank=rank, world=world, rank_source=source, observed=True)


@pytest.mark.parametrize(
    ("processes", "ranks"),
    [
        ((), 0),
        ((_process(7, 0), _process(8, 1)), 2),
        ((_process(7, 0, world=None), _process(8, 1, "argument", world=None)), 2),
        ((_process(7, 0, "order"), _process(8, 1, "order")), 0),
        ((_process(7, 0, world=1),), 1),
    ],
)
def test_ranks_are_those_that_said_so(processes: tuple[Process, ...], ranks: int) -> None:
    facts = TrialFacts(bare=False, began=0, ended=1, main=1, processes=processes)
    assert ground_of(facts, 1).ranks == ranks


def test_faults_are_put_where_the_rank_gets() -> None:
    facts = TrialFacts(
        bare=False,
        began=0,
        ended=1,
        main=1,
        processes=(_process(7, 0), _process(8, 1)),
        inits=(Init(8, 0, 1),),
        collectives=(
            Collective(8, "WORLD", 3, "barrier", 0, 1),
            Collective(8, "1:sub[1]", 9, "barrier", 0, 1),
        ),
    )
    assert ground_of(facts, 1) == Ground(2, has_init=True, collectives=3)
    assert ground_of(facts, 0) == Ground(2, has_init=False, collectives=0)


@pytest.mark.parametrize(
    ("ground", "faults"),
    [
        (
            Ground(2, has_init=True, collectives=3),
            [
                "raise at init",
                "raise at collective=1",
                *(f"{how} at collective=1" for how in ("exit", "kill", "hang")),
            ],
        ),
        (
            Ground(2, has_init=True, collectives=0),
            [f"{how} at init" for how in ("raise", "exit", "kill", "hang")],
        ),
        (
            Ground(2, has_init=False, collectives=0),
            [f"{how} at exit" for how in ("raise", "exit", "kill", "hang")],
        ),
    ],
)
def test_the_usual_faults_are_those_that_can_be_reached(ground: Ground, faults: list[str]) -> None:
    assert [f"{one.how} at {one.at}" for one in usual_faults(ground, 1)] == faults
