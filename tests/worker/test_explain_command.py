"""`flake-triage explain`: what it prints for people and programs of logs, results and what is neither."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.domain.category import Category
from app.domain.explaining.explanation import Explanation
from worker import cli
from worker.commands.explain_content import FileExplained
from worker.commands.explain_story import tell_explained
from worker.commands.quoted_lines import LONGEST

STAMP = "2026-05-11T09:14:02.0000000Z "
LOG = "".join(
    f"{STAMP}{line}\n"
    for line in (
        "##[group]Run pytest",
        "============================= test session starts ==============================",
        "t/test_a.py::test_x FAILED",
        "[rank0]: RuntimeError: [pair.cc:525] Connection closed by peer [127.0.0.1]:4",
        "[rank1]: ValueError: no room",
        "=================================== FAILURES ===================================",
        "____________________________________ test_x ____________________________________",
        ">       assert all(p.exitcode == 0 for p in processes)",
        "E       assert False",
        "____________________________________ test_y ____________________________________",
        "E       KeyError: 'y'",
        "=========================== short test summary info ============================",
        "FAILED t/test_a.py::test_x - assert False",
        "FAILED t/test_a.py::test_y - KeyError: 'y'",
        "============================== 2 failed in 3.21s ===============================",
        "##[error]Process completed with exit code 1.",
    )
)
JUNIT = """<testsuite name="s"><testcase classname="t.m" name="test_b"><failure message="KeyError: 'k'">noise
KeyError: 'k'</failure></testcase></testsuite>"""
FIELDS = ("file", "category", "root_cause", "key_line", "line", "test", "consequences", "failures")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, text: str | bytes = LOG) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return name


def explain(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(cli.cli, ["explain", *arguments], input=stdin)


def objects(*arguments: str, stdin: str | None = None) -> list[dict[str, Any]]:
    return [json.loads(line) for line in explain(*arguments, "--json", stdin=stdin).stdout.splitlines()]


def test_a_log_is_an_object_of_the_agreed_fields() -> None:
    (told,) = objects(written("job.log"))
    assert tuple(told) == FIELDS
    assert told == {
        "file": "job.log",
        "category": "exception",
        "root_cause": "an error ended it on rank 1: ValueError: no room",
        "key_line": "[rank1]: ValueError: no room",
        "line": 5,
        "test": "t/test_a.py::test_x",
        "consequences": [
            {
                "line": 4,
                "text": "[rank0]: RuntimeError: [pair.cc:525] Connection closed by peer [127.0.0.1]:4",
            },
            {"line": 9, "text": "E       assert False"},
            {"line": 16, "text": "##[error]Process completed with exit code 1."},
        ],
        "failures": [
            {
                "test": "t/test_a.py::test_x",
                "category": "exception",
                "key_line": "[rank1]: ValueError: no room",
                "line": 5,
            },
            {
                "test": "t/test_a.py::test_y",
                "category": "exception",
                "key_line": "E       KeyError: 'y'",
                "line": 11,
            },
        ],
    }


def test_people_see_the_line_among_its_neighbours() -> None:
    told = explain(written("job.log"))
    assert told.exit_code == 0
    lines = told.stdout.splitlines()
    assert lines[0] == "job.log"
    assert lines[1] == "  an error ended it on rank 1: ValueError: no room"
    assert "  category  exception: an exception or an error" in lines
    assert "  test      t/test_a.py::test_x" in lines
    assert "  > 5 | [rank1]: ValueError: no room" in lines
    assert [line for line in lines if " | " in line] == lines[4:11]
    assert "  only followed from it, or tells no more" in lines
    assert "  1 other failed test" in lines


def test_results_are_explained_by_their_texts() -> None:
    (told,) = objects(written("junit.xml", JUNIT))
    assert (told["category"], told["key_line"], told["line"]) == ("exception", "KeyError: 'k'", None)
    assert told["test"] == "t.m::test_b"
    assert "    KeyError: 'k'" in explain("junit.xml").stdout.splitlines()


def test_standard_input_is_explained() -> None:
    (told,) = objects("-", stdin=LOG)
    assert (told["file"], told["line"]) == ("-", 5)


def test_logs_of_folders_and_archives_are_explained() -> None:
    written("logs/0_test.txt")
    written("logs/notes.txt", "bread and butter")
    with zipfile.ZipFile("logs.zip", "w") as archive:
        archive.writestr("0_test.txt", LOG)
    found = objects("logs", "logs.zip")
    assert [(one["file"], one["line"]) for one in found] == [
        ("logs/0_test.txt", 5),
        ("logs.zip!0_test.txt", 5),
    ]
    assert "passed over 1 more file: neither results nor a log" in explain("logs").stderr


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "an empty file"),
        (b"\x89PNG\r\n\x1a\n\0\0", "PNG"),
        (b"<html><body>404</body></html>", "an HTML page"),
    ],
)
def test_what_is_neither_a_log_nor_results_is_refused(content: bytes, reason: str) -> None:
    told = explain(written("x.txt", content), "--json")
    assert told.exit_code == 3
    (one,) = [json.loads(line) for line in told.stdout.splitlines()]
    assert (one["category"], one["key_line"], one["test"]) == (None, None, None)
    assert reason in one["root_cause"]
    assert f"could not be read: {one['root_cause']}" in explain("x.txt").stdout


def test_a_file_that_is_not_there_is_said() -> None:
    told = explain("none.log")
    assert told.exit_code == 3
    assert "could not be read" in told.stdout
    assert explain().exit_code == 2


def test_a_log_without_a_failure_says_so() -> None:
    (told,) = objects(written("ok.log", f"{STAMP}all is well\n{STAMP}##[group]Run x\n"))
    assert (told["category"], told["key_line"]) == (Category.UNKNOWN.value, None)
    assert "no failure is named in this log" in explain("ok.log").stdout


def test_hostile_lines_move_no_terminal_and_command_no_runner() -> None:
    line = f"{STAMP}ValueError: \x1b[31m::error::x\x07 {'y' * 400}\n{STAMP}::set-output name=a::b\n"
    told = explain(written("job.log", line + f"{STAMP}##[error]Process completed with exit code 1.\n"))
    assert "\x1b" not in told.stdout
    assert "\x07" not in told.stdout
    assert not [one for one in told.stdout.splitlines() if one.lstrip().startswith("::")]
    assert max(map(len, told.stdout.splitlines())) < 3 * LONGEST


def test_very_many_failures_are_counted_for_people() -> None:
    names = [f"test_{number}" for number in range(40)]
    summary = "=========================== short test summary info ============================"
    start = "============================= test session starts =============================="
    lines = [
        start,
        summary,
        *(f"FAILED t/test_a.py::{name} - ValueError: x" for name in names),
        "== 40 failed in 9s ==",
    ]
    told = explain(written("job.log", "".join(f"{STAMP}{line}\n" for line in lines))).stdout
    assert "39 other failed tests" in told
    assert "and 19 more; --json tells all of them" in told


def test_a_cut_log_is_said_to_be_cut(capsys: pytest.CaptureFixture[str]) -> None:
    tell_explained(FileExplained("a.log", Explanation(Category.UNKNOWN, "none", cut=True)))
    assert "the middle of the log was left out, so the cause may stand there" in capsys.readouterr().out
