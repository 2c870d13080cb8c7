"""A fault of ours in one rank: which tests would show it, and which would hide it."""

from pathlib import Path

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


def test_that_shows_its_ranks(tmp_path):
    told = mp.get_context("fork").SimpleQueue()
    codes = codes_of(tmp_path / "meet", told)
    errors = [told.get() for _ in range(2)]
    assert errors == [None, None], "\\n".join(map(str, errors))
    assert codes == [0, 0]


def test_that_hides_its_ranks(tmp_path):
    assert all(code == 0 for code in codes_of(tmp_path / "meet", mp.get_context("fork").SimpleQueue()))


def test_without_ranks():
    assert True
"""


@pytest.mark.parametrize(
    ("spec", "canonical"),
    [
        ("", "rank=1,at=collective:1,raise=RuntimeError:INJECTED_RANK1_FAILURE"),
        ("rank=0,at=init", "rank=0,at=init,raise=RuntimeError:INJECTED_RANK0_FAILURE"),
        ("at=return,raise=ValueError:a, b=c: d", "rank=1,at=return,raise=ValueError:a, b=c: d"),
        ("at=collective:12,rank=3", "rank=3,at=collective:12,raise=RuntimeError:INJECTED_RANK3_FAILURE"),
    ],
)
def test_a_fault_is_written_in_one_way_whatever_was_left_out(spec: str, canonical: str) -> None:
    assert inject.parse(spec).spec == canonical
    assert inject.parse(canonical) == inject.parse(spec)


@pytest.mark.parametrize(
    "spec",
    [
        *("rank=-1", "rank=1.5", "rank=", "rank=1234567", "rank=1,rank=2", "world=2", "rank"),
        *("at=exit", "at=collective:0", "at=collective:x", "at=init:2"),
        *("raise=SystemExit:x", "raise=os:x", "raise=NoSuchError", "raise=UnicodeDecodeError:x"),
        *("raise=RuntimeError:a\nb", "raise=RuntimeError:" + "x" * 501),
    ],
)
def test_what_is_no_fault_is_refused_with_a_sentence(spec: str) -> None:
    with pytest.raises(ValueError, match=r"[a-z]{2}"):
        inject.parse(spec)


def test_a_fault_is_raised_once_and_leaves_a_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fault", "journal", "rank"):
        monkeypatch.setattr(inject._Armed, name, getattr(inject._Armed, name))
    inject.arm("rank=1,at=return,raise=ValueError:ours", str(tmp_path))
    inject.reach(inject.INIT, 1)
    inject.reach(inject.COLLECTIVE, 1, 1)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="ours"):
        inject.reach(inject.RETURN, None)
    assert [one.suffix for one in tmp_path.iterdir()] == [inject.MARK]
    inject.reach(inject.RETURN, None)


@pytest.mark.timeout(300)
def test_the_tests_of_a_file_are_told_apart_by_whether_they_show_the_error_of_a_rank(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    project = write_project(tmp_path / "project", {"test_ranks.py": RANKS})
    done = replay(project, "--inject-all", "test_ranks.py", out=tmp_path / "out")
    assert {one["test"].rpartition("::")[2]: one["injected"]["shown"] for one in done.objects} == {
        "test_that_shows_its_ranks": "failure",
        "test_that_hides_its_ranks": "output",
        "test_without_ranks": "not-reached",
    }
    assert [one["injected"]["opaque"] for one in done.objects] == [False, True, False]
    shown = done.objects[0]["cause"]
    assert (shown["kind"], shown["rank"]) == ("rank-exception", 1)
    assert shown["exception"]["message"] == "INJECTED_RANK1_FAILURE"
    trace = Path(done.objects[0]["bundle"], "traces").glob("rank-1-*.jsonl")
    assert any("INJECTED_RANK1_FAILURE" in one.read_text() for one in trace)


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
