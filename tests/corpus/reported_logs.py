"""Faults of job logs that people met in other tools, each with its smallest input."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from shown import Case, Shown, check, read, tried

from worker.commands.given_files import given_files
from worker.commands.read_content import FileRead, read_given
from worker.commands.read_records import test_name

STAMP = "2026-05-11T09:14:02.0131000Z "
START = f"{'=' * 29} test session starts {'=' * 30}"


def shown() -> Iterator[Shown]:
    return tried(CASES)


def log(*lines: str) -> str:
    return "".join(f"{STAMP}{line}\n" for line in ("Current runner version: '2.325.0'", *lines))


def _red_names(told: FileRead) -> list[str]:
    return [test_name(one, is_log=True) for one in told.results if one.outcome.kind.is_red]


def _in_archive(members: dict[str, str]) -> list[FileRead]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "logs.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in members.items():
                archive.writestr(name, text)
        found = [read_given(one) for one in given_files([str(path)], lambda _: None)]
        return [told for told in found if told is not None]


PYTEST_RED = (
    START,
    "=========================== short test summary info ============================",
    "FAILED t/test_a.py::test_b - assert 0",
    "========================= 1 failed, 2 passed in 3.21s =========================",
    "##[error]Process completed with exit code 1.",
)


def _no_files_of_steps() -> str:
    told = _in_archive({"0_test.txt": log(*PYTEST_RED), "test/system.txt": log("Job is about to start")})
    names = [name for one in told for name in _red_names(one)]
    check(holds=names == ["t/test_a.py::test_b"], wanted="the failure of the whole job's file", found=names)
    return "the whole job's file is read"


def _odd_job_name() -> str:
    told = _in_archive({"build  test linux/1_Run tests.txt": log(*PYTEST_RED)})
    check(holds=[_red_names(one) for one in told] == [["t/test_a.py::test_b"]], wanted="its log", found=told)
    return "read whatever its folder is called; the service asks for a job's log by the job's id"


def _lost_runner() -> str:
    told = read(log("Runner name: 'vm-1'", "Job is about to start running on the runner: vm-1"))
    check(holds=not told.results, wanted="no test blamed", found=_red_names(told))
    check(holds=bool(told.problems), wanted="nothing that looks green", found=told.counts)
    return told.problems[0]


def _dead_worker_and_cancelled() -> str:
    told = read(
        log(START, "[gw1] node down: Not properly terminated", "##[error]The operation was canceled.")
    )
    check(holds=not _red_names(told), wanted="no test named", found=_red_names(told))
    check(holds=bool(told.problems), wanted="nothing that looks green", found=told.counts)
    return told.problems[0]


def _node_id_in_the_header_only() -> str:
    told = read(
        log(
            START,
            "collected 1 item",
            "",
            "test/distributed/test_pair.py::TestPair::test_both FAILED",
            "",
            "=================================== FAILURES ===================================",
            "_____________________________ TestPair.test_both ______________________________",
            "Traceback (most recent call last):",
            '  File "test/distributed/test_pair.py", line 12, in test_both',
            "    run()",
            "RuntimeError: Process 0 exited with error code 10",
            "========================= 1 failed in 3.21s =========================",
        )
    )
    names = _red_names(told)
    wanted = ["test/distributed/test_pair.py::TestPair::test_both"]
    check(holds=names == wanted, wanted=wanted[0], found=names)
    return names[0]


def _crashed_then_passed_under_xdist() -> str:
    told = read(
        log(
            START,
            "created: 2/2 workers",
            "[gw7] node down: Not properly terminated",
            "[gw7] [ 50%] FAILED t/test_a.py::test_a ",
            "",
            "replacing crashed worker gw7",
            "[gw8] [100%] PASSED t/test_a.py::test_a ",
            "=================================== FAILURES ===================================",
            "______________________________ t/test_a.py ______________________________",
            "[gw7] linux -- Python 3.11.7 /usr/bin/python",
            "worker 'gw7' crashed while running 't/test_a.py::test_a'",
            "=========================== short test summary info ============================",
            "FAILED t/test_a.py::test_a",
            "==================== 1 failed, 1 passed in 3.21s ====================",
        )
    )
    names = _red_names(told)
    check(holds=names == ["t/test_a.py::test_a"], wanted="the crash kept", found=names)
    return f"{names[0]} red, beside {told.counts.passed} passed"


CASES: list[Case] = [
    ("BR-40 crashed, then passed under xdist", _crashed_then_passed_under_xdist),
    ("BR-58 no files of single steps", _no_files_of_steps),
    ("BR-59 a job's name with marks", _odd_job_name),
    ("BR-61 a lost runner", _lost_runner),
    ("BR-63 a dead worker, then cancelled", _dead_worker_and_cancelled),
    ("BR-65 a node id in the header only", _node_id_in_the_header_only),
]
