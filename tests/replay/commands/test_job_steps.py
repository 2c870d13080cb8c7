"""The printed workflow, run as a job runs it: what a failed job gets, and that nothing changes its result."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from job_runner import JobRun, Runner, index_of_packages, kill
from told_command import flake_triage

pytestmark = pytest.mark.timeout(580)

HANDOFF = '''
"""Two ranks hand a state over; the parent takes one report and looks at exit codes."""

import queue
import socket
import traceback

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def _port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _load_shard(rank: int) -> torch.Tensor:
    if rank == 1:
        raise RuntimeError("shard 1 is of another | layout\\n::error::not a command")
    return torch.ones(4)


def _worker(rank: int, port: int, reports: queue.Queue) -> None:
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    try:
        dist.barrier()
        if rank == 0:
            reports.put({"rank": 0, "loaded": True})
        _load_shard(rank)
    except BaseException:
        reports.put({"rank": rank, "traceback": traceback.format_exc()})
        raise
    finally:
        dist.destroy_process_group()


def test_state_is_handed_over() -> None:
    context = mp.get_context("fork")
    reports, port = context.Queue(), _port()
    processes = [context.Process(target=_worker, args=(rank, port, reports)) for rank in range(2)]
    for process in processes:
        process.start()
    report = reports.get(timeout=60)
    for process in processes:
        process.join(timeout=60)
        if process.is_alive():
            process.terminate()
    assert report is not None, "workers timed out"
    assert all(process.exitcode == 0 for process in processes)


def test_nothing() -> None:
    pass
'''
PLAIN = "def test_sums():\n    assert 1 + 1 == {sum}\n"
NEEDED = {"requirements.txt": "", "pytest.ini": "[pytest]\n"}
FAILS = {**NEEDED, "test_sums.py": PLAIN.format(sum=3)}
PASSES = {**NEEDED, "test_sums.py": PLAIN.format(sum=2)}
OURS = ("Install flake-triage", "Replay the failed tests", "Keep the evidence")


def workflow(*options: str) -> dict[str, Any]:
    told = flake_triage("workflow", "in-job", "--package", "flake-triage==0.1.0", *options)
    assert told.code == 0, told.err
    read: dict[str, Any] = yaml.safe_load(told.out)
    return read


def always(read: dict[str, Any]) -> dict[str, Any]:
    """The same with its replay in every job, so that its trouble meets a green one."""
    for step in read["jobs"]["test"]["steps"]:
        if "if" in step:
            step["if"] = step["if"].replace("failure()", "always()")
    return read


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return index_of_packages(tmp_path_factory.mktemp("index") / "packages")


@pytest.fixture(scope="module")
def failed(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> JobRun:
    project = {**NEEDED, "tests/test_handoff.py": HANDOFF}
    runner = Runner(tmp_path_factory.mktemp("job"), project, packages)
    return runner.run(workflow("--budget", "240"))


def test_a_failed_job_stays_failed_and_has_run_all_steps(failed: JobRun) -> None:
    assert failed.conclusion == "failure"
    assert [failed.step(name).outcome for name in OURS] == ["success"] * 3, failed.step("Replay").log


def test_its_summary_says_what_the_log_could_not(failed: JobRun) -> None:
    assert "assert False" in failed.step("pytest --junitxml").log
    told = failed.summary
    assert "### `tests/test_handoff.py::test_state_is_handed_over`" in told
    assert "**rank-exception, rank 1**: rank 1 raised RuntimeError: shard 1 is of another" in told
    assert "Read one report of every process" in told
    assert "The message in the job names no cause" in told
    assert re.search(r"^  - line [0-9]+, `one-item-drained`: ", told, re.MULTILINE)
    assert "| s | the test | rank 0 | rank 1 |" in told
    assert "isolation |" in told
    assert len(told.encode()) < 1024 * 1024


def test_the_failing_line_is_annotated_and_hostile_text_commands_nothing(failed: JobRun) -> None:
    line = 1 + next(n for n, one in enumerate(HANDOFF.splitlines()) if "raise RuntimeError(" in one)
    assert [one.partition(",title=")[0] for one in failed.step("Replay").commands] == [
        f"::error file=tests/test_handoff.py,line={line}"
    ]
    assert "::error::not a command" in failed.step("pytest --junitxml").commands
    assert "not a command" in failed.step("Replay").log


def test_later_steps_get_its_outputs(failed: JobRun) -> None:
    outputs = failed.step("Replay").outputs
    assert outputs["verdict"] in {"deterministic", "reproduced-once"}
    assert (outputs["cause"], outputs["rank"]) == ("rank-exception", "1")
    assert outputs["test"] == "tests/test_handoff.py::test_state_is_handed_over"
    (told,) = json.loads(outputs["tests"])
    assert told["bundle"].startswith(outputs["bundle"])
    assert Path(outputs["summary"]).read_text(encoding="utf-8") == failed.summary


def test_the_evidence_is_kept_and_can_be_verified(failed: JobRun) -> None:
    (kept,) = failed.artifacts.items()
    assert kept[0] == "flake-triage-test-0-1"
    assert f"in the artifact `{kept[0]}`" in failed.summary
    (told,) = re.findall("unpacked: `flake-triage (bundle show [^`]+)`", failed.summary)
    *show, folder = shlex.split(told)
    assert flake_triage(*show, kept[1] / folder).code == 0
    done = flake_triage("bundle", "verify", kept[1])
    assert done.code == 0, done.out + done.err
    (about,) = kept[1].glob("*/about.json")
    assert json.loads(about.read_text())["github run_id"] == "29538416045"


def test_a_passing_job_runs_none_of_it(packages: Path, tmp_path: Path) -> None:
    runner = Runner(tmp_path, PASSES, packages)
    done = runner.run(workflow())
    assert done.conclusion == "success"
    assert [done.step(name).outcome for name in OURS] == ["skipped"] * 3
    assert list(runner.temp.iterdir()) == []
    assert (done.summary, done.artifacts) == ("", {})


def test_a_job_that_failed_before_its_tests_is_told_that_there_are_no_results(
    packages: Path, tmp_path: Path
) -> None:
    project = {**FAILS, "requirements.txt": "a-package-that-is-nowhere\n"}
    done = Runner(tmp_path, project, packages).run(workflow())
    assert done.conclusion == "failure"
    assert done.step("Replay").outcome == "success"
    assert "results.xml: there is no such file" in done.summary
    assert [one.partition(" ")[0] for one in done.step("Replay").commands] == ["::warning"]


def killed_while_it_replays(line: str, process: subprocess.Popen[str]) -> None:
    if line.startswith("  trial 1,"):
        kill(process)


@pytest.mark.parametrize(
    ("project", "result"), [pytest.param(FAILS, "failure", marks=pytest.mark.accept), (PASSES, "success")]
)
def test_a_replay_that_is_killed_changes_no_result(
    project: Mapping[str, str], result: str, packages: Path, tmp_path: Path
) -> None:
    read = always(workflow())
    if project is PASSES:  # with results of another run that hold a failure, which is then replayed
        project = {**PASSES, "old.xml": _results("test_sums")}
        read = always(workflow("--results", "*.xml"))
    done = Runner(tmp_path, project, packages, on_line=killed_while_it_replays).run(read)
    assert done.conclusion == result
    replay = done.step("Replay")
    assert (replay.outcome, replay.conclusion) == ("failure", "success"), replay.log
    assert done.step("Keep").outcome == "success"
    assert "The step ended before it was done." in done.summary


@pytest.mark.accept
def test_a_step_whose_time_is_over_tells_what_it_knows(packages: Path, tmp_path: Path) -> None:
    slow = {
        **NEEDED,
        "test_slow.py": "import time\n\ndef test_slow():\n    time.sleep(8)\n    assert False\n",
    }
    done = Runner(tmp_path, slow, packages, minute_s=3.0).run(workflow())
    assert done.conclusion == "failure"
    replay = done.step("Replay")
    assert (replay.outcome, replay.conclusion) == ("failure", "success"), replay.log
    assert "### `test_slow.py::test_slow`" in done.summary
    assert "The step ended" not in done.summary
    (kept,) = done.artifacts.values()
    assert flake_triage("bundle", "verify", kept).code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
@pytest.mark.parametrize("size", [pytest.param("64k", marks=pytest.mark.accept), "200k"])
def test_a_full_disk_changes_no_result_and_is_told(size: str, packages: Path, tmp_path: Path) -> None:
    disks: list[Path] = []

    def mount(temp: Path) -> None:
        disks.append(temp / "replay")
        disks[0].mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", disks[0]], check=True)

    try:
        done = Runner(tmp_path, FAILS, packages, prepare=mount).run(workflow())
    finally:
        subprocess.run(["umount", "-l", disks[0]], check=True)
    assert done.conclusion == "failure"
    assert done.step("Replay").conclusion == "success"
    assert re.search("[Nn]o space left", done.summary), done.summary


NO_WALLS = (
    *("unshare", "--user", "--map-root-user", "sh", "-c"),
    'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all "$@"',
    "without-walls",
)
"""As on a runner that restricts user namespaces, and gives no capability either."""


def test_without_a_sandbox_it_goes_on_and_says_so(packages: Path, tmp_path: Path) -> None:
    if subprocess.run([*NO_WALLS, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("a user namespace that allows none in it cannot be made here")
    done = Runner(tmp_path, FAILS, packages, inside=NO_WALLS).run(workflow())
    assert done.conclusion == "failure"
    assert done.step("Replay").outcome == "success", done.step("Replay").log
    assert (
        "> No sandbox could be put up on this runner, so the trials ran with the job's own rights"
        in done.summary
    )
    assert "none: the job's own rights |" in done.summary
    assert "**test-assertion**" in done.summary
    assert [one.partition(" ")[0] for one in done.step("Replay").commands] == ["::error", "::warning"]


@pytest.mark.accept
def test_an_install_that_fails_leaves_the_job_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    done = Runner(tmp_path / "job", FAILS, tmp_path / "nothing").run(workflow())
    assert done.conclusion == "failure"
    assert [done.step(name).outcome for name in OURS] == ["failure", "skipped", "skipped"]
    green = Runner(tmp_path / "green", PASSES, tmp_path / "nothing").run(always(workflow()))
    assert green.conclusion == "success"


def _results(module: str) -> str:
    return (
        f'<testsuite><testcase classname="{module}" name="test_sums" time="0.1">'
        '<failure message="assert 2 == 3">assert 2 == 3</failure></testcase></testsuite>'
    )
