"""A fault of ours in one rank: how it is asked for, and what the command says of tests that hide it."""

import sys
from pathlib import Path
from typing import Any

import pytest
from told_command import flake_triage, replay, write_project

from worker.replay.probe import inject

RANKS = """
import multiprocessing as mp
import traceback

import torch.distributed as dist


def worker(rank, path, queue):
    try:
        dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
        dist.barrier()
        queue.put(None)
    except BaseException:
        queue.put(traceback.format_exc())
        raise


def codes_of(path, told):
    ranks = [mp.get_context("fork").Process(target=worker, args=(rank, path, told)) for rank in range(2)]
    for one in ranks:
        one.start()
    for one in ranks:
        one.join(20)
    return [one.exitcode for one in ranks]


def test_that_hides_its_ranks(tmp_path):
    assert all(code == 0 for code in codes_of(tmp_path / "meet", mp.get_context("fork").SimpleQueue()))


def test_without_ranks():
    assert True
"""


TEXT = "raise=RuntimeError:INJECTED_RANK1_FAILURE"


@pytest.mark.parametrize(
    ("spec", "canonical"),
    [
        ("", f"rank=1,at=collective=1,how=raise,{TEXT}"),
        ("rank=1,at=collective=3,how=raise", f"rank=1,at=collective=3,how=raise,{TEXT}"),
        ("rank=1,at=collective:3", f"rank=1,at=collective=3,how=raise,{TEXT}"),
        ("rank=1,collective=3", f"rank=1,at=collective=3,how=raise,{TEXT}"),
        ("rank=0,at=init", "rank=0,at=init,how=raise,raise=RuntimeError:INJECTED_RANK0_FAILURE"),
        ("at=return,raise=ValueError:a, b=c: d", "rank=1,at=exit,how=raise,raise=ValueError:a, b=c: d"),
        ("at=exit,how=exit", "rank=1,at=exit,how=exit"),
        ("how=hang,rank=3", "rank=3,at=collective=1,how=hang"),
        ("at=init,how=kill", "rank=1,at=init,how=kill"),
    ],
)
def test_a_fault_is_written_in_one_way_whatever_was_left_out(spec: str, canonical: str) -> None:
    assert inject.parse(spec).spec == canonical
    assert inject.parse(canonical) == inject.parse(spec)


@pytest.mark.parametrize(
    "spec",
    [
        *("rank=-1", "rank=1.5", "rank=", "rank=1234567", "rank=1,rank=2", "world=2", "rank"),
        *("at=leave", "at=collective=0", "at=collective:x", "at=init:2", "at=exit=1", "collective=0"),
        *("how=stop", "how=kill,raise=ValueError:x", "at=init,collective=2"),
        *("raise=SystemExit:x", "raise=os:x", "raise=NoSuchError", "raise=UnicodeDecodeError:x"),
        *("raise=RuntimeError:a\nb", "raise=RuntimeError:" + "x" * 501),
    ],
)
def test_what_is_no_fault_is_refused_with_a_sentence(spec: str) -> None:
    with pytest.raises(ValueError, match=r"[a-z]{2}"):
        inject.parse(spec)


@pytest.mark.timeout(300)
def test_the_tests_of_a_file_are_graded_and_those_without_ranks_told_apart(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    project = write_project(tmp_path / "project", {"test_ranks.py": RANKS})
    spec = ("--inject", "rank=1,at=collective=1,how=raise")
    done = replay(project, "--inject-all", "test_ranks.py", *spec, out=tmp_path / "out")
    found = {one["test"].rpartition("::")[2]: one["injected"] for one in done.objects}
    assert {test: one["grade"] for test, one in found.items()} == {
        "test_that_hides_its_ranks": "D",
        "test_without_ranks": None,
    }
    assert [one["distributed"] for one in found.values()] == [True, False]
    assert found["test_without_ranks"]["why"].startswith("not distributed")
    (hidden,) = found["test_that_hides_its_ranks"]["faults"]
    assert (hidden["shown"], hidden["opaque"], hidden["names_cause"]) == ("output", True, False)
    _assert_bundle_tells_of_the_fault(done.objects[0])
    assert "test 2 of 2" in done.err


def _assert_bundle_tells_of_the_fault(told: dict[str, Any]) -> None:
    """Trials with a fault count for nothing else: a replay of a healthy test stays one."""
    assert told["verdict"] == "budget-exhausted"
    assert (told["bound"]["failures"], told["bound"]["trials"]) == (0, 1)
    assert (told["cause"]["kind"], told["cause"]["rank"]) == ("rank-exception", 1)
    assert told["cause"]["exception"]["message"] == "INJECTED_RANK1_FAILURE"
    assert [one["inject"] for one in told["trials"]] == [
        "control",
        f"rank=1,at=collective=1,how=raise,{TEXT}",
    ]
    bundle = Path(told["bundle"])
    assert any("INJECTED_RANK1_FAILURE" in one.read_text() for one in (bundle / "traces").glob("rank-1-*"))
    page = (bundle / "page.html").read_text()
    assert ">grade D</span>" in page
    assert "What the grades mean" in page
    checked = flake_triage("bundle", "verify", bundle, "--json").object
    assert checked["good"], checked["differences"]
    shown = flake_triage("bundle", "show", bundle)
    assert "raise at collective 1" in shown.out


def test_a_file_without_tests_or_with_an_error_is_told(tmp_path: Path) -> None:
    files = {"test_empty.py": "", "test_bad.py": "import nowhere_at_all\n"}
    project = write_project(tmp_path / "project", files)
    empty = flake_triage(
        "replay", "--inject-all", "test_empty.py", "--project", project, "--out", tmp_path / "a"
    )
    assert empty.code == 3
    assert "pytest finds no test in it" in empty.err
    bad = flake_triage("replay", "--inject-all", "test_bad.py", "--project", project, "--out", tmp_path / "b")
    assert bad.code == 3
    assert "pytest cannot collect it" in bad.err


def test_a_test_that_fails_anyway_is_not_graded(tmp_path: Path) -> None:
    files = {"test_red.py": "def test_red():\n    assert 1 == 2\n"}
    project = write_project(tmp_path / "project", files)
    told = replay(project, "test_red.py::test_red", "--inject", "rank=1", out=tmp_path / "out").object
    assert told["injected"]["grade"] is None
    assert told["injected"]["why"].startswith("it fails without a fault: ")
    assert {one["inject"] for one in told["trials"]} == {"control"}


@pytest.mark.parametrize("more", [("--compare-limits",), ("--arm", "plain,cpu-1")])
def test_a_fault_is_judged_under_one_set_of_limits(tmp_path: Path, more: tuple[str, ...]) -> None:
    project = write_project(tmp_path / "project", {"test_green.py": "def test_green(): ...\n"})
    said = replay(project, "test_green.py::test_green", "--inject", "", *more, out=tmp_path / "out")
    assert said.code == 2
    assert "take one --arm" in said.err


def test_a_fault_that_is_never_reached_is_no_good_news(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project", {"test_green.py": "def test_green(): ...\n"})
    given = ("--project", project, "--python", sys.executable, "--out", tmp_path / "out")
    said = flake_triage("replay", "test_green.py::test_green", "--inject", "rank=3,how=kill", *given)
    assert said.code == 0
    assert "-  test_green.py::test_green: not distributed" in said.out
    assert "not reached: that rank was never seen there" in said.out
