"""`flake-triage read`: what it prints for people and programs, and its exit codes."""

import io
import json
import os
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.domain import outcome
from app.domain.errors import Rejected
from app.domain.joblog.job_log import read_job_log
from app.domain.results.results_file import ReadStatus
from worker import cli, progress_line
from worker.commands import read_story
from worker.commands.given_files import Given
from worker.commands.read_bar import CELLS, allot, bar
from worker.commands.read_content import Counts, of_log, read_given
from worker.commands.reading_progress import ReadingProgress

RED = """<testsuite name="s" tests="3" failures="1"><testcase classname="t.m" name="test_a"/>
<testcase classname="t.m" name="test_b" file="t/m.py" line="7"><failure message="assert 1 == 2">long
text</failure></testcase>
<testcase classname="t.m" name="test_c"><skipped message="later"/></testcase></testsuite>"""
LOG = """\
2026-05-11T09:14:02.0000000Z ============================= test session starts ======================
2026-05-11T09:14:03.0000000Z =========================== short test summary info ============================
2026-05-11T09:14:03.0000000Z FAILED test/test_rpc.py::TestPair::test_spawned[a-1] - RuntimeError: gone
2026-05-11T09:14:03.0000000Z ========================= 1 failed, 11 passed in 3.21s =========================
2026-05-11T09:14:04.0000000Z ##[error]Process completed with exit code 1.
"""
EMPTY_LOG = "2026-05-11T09:14:02.0000000Z ##[error]Process completed with exit code 2.\n"
FIELDS = (
    *("file", "format", "status", "reason", "cases", "passed", "failed", "errored", "skipped"),
    *("flaky_reruns", "distinct_ids", "declared", "problems"),
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, text: str | bytes = RED) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return name


def read(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(cli.cli, ["read", *arguments], input=stdin)


def objects(*arguments: str, stdin: str | None = None) -> list[dict[str, Any]]:
    return [json.loads(line) for line in read(*arguments, "--json", stdin=stdin).stdout.splitlines()]


def test_a_results_file_is_an_object_of_the_agreed_fields() -> None:
    (told,) = objects(written("junit.xml"))
    assert tuple(told) == FIELDS
    assert told == {
        "file": "junit.xml",
        "format": "junit",
        "status": "complete",
        "reason": None,
        "cases": 3,
        "passed": 1,
        "failed": 1,
        "errored": 0,
        "skipped": 1,
        "flaky_reruns": 0,
        "distinct_ids": 3,
        "declared": {"tests": 3, "failures": 1, "errors": None, "skipped": None},
        "problems": [],
    }


def test_results_are_told_where_they_are_asked_for() -> None:
    (told,) = objects(written("junit.xml"), "--results")
    passed, failed, skipped = told["results"]
    assert (passed["test"], passed["outcome"], passed["message"]) == ("t.m::test_a", "passed", None)
    assert {name: failed[name] for name in ("outcome", "message", "text", "cut", "path", "line")} == {
        "outcome": "failed",
        "message": "assert 1 == 2",
        "text": "long\ntext",
        "cut": False,
        "path": "t/m.py",
        "line": 7,
    }
    assert (skipped["outcome"], skipped["message"]) == ("skipped", "later")
    assert set(outcome.Result._fields) - set(failed) <= {"test", "outcome"}


def test_people_see_every_test_where_they_ask_for_it() -> None:
    flaky = '<testcase classname="t.m" name="test_d" time="0.5"><flakyFailure message="once"/></testcase>'
    written("junit.xml", RED.replace("</testsuite>", f"{flaky}</testsuite>"))
    assert "test_a" not in read("junit.xml").stdout
    lines = read("junit.xml", "--results").stdout.splitlines()
    at = lines.index("Other tests of junit.xml")
    assert lines[at + 1 : at + 4] == [
        "  passed   t.m::test_a",
        "  skipped  t.m::test_c: later",
        "  passed   t.m::test_d, 0.5 s, after 1 other attempt",
    ]
    assert lines.count("  failed   t.m::test_b") == 1


def test_a_log_tells_what_it_names_and_null_for_what_it_does_not() -> None:
    (told,) = objects(written("log.txt", LOG), "--results")
    assert {name: told[name] for name in FIELDS[1:11]} == {
        "format": "log",
        "status": "complete",
        "reason": None,
        "cases": None,
        "passed": 11,
        "failed": 1,
        "errored": 0,
        "skipped": 0,
        "flaky_reruns": None,
        "distinct_ids": None,
    }
    assert [one["test"] for one in told["results"]] == ["test/test_rpc.py::TestPair::test_spawned[a-1]"]


def test_a_log_that_names_no_test_is_not_green() -> None:
    (told,) = objects(written("log.txt", EMPTY_LOG))
    assert (told["failed"], told["passed"]) == (None, None)
    assert told["problems"][0] == "a step ended with exit code 2, and no failed test is named"
    result = read("log.txt")
    assert "Nothing red was read, which proves nothing" in result.stdout


def test_what_is_neither_results_nor_a_log_is_refused_with_a_reason_and_exit_3() -> None:
    result = read(
        written("page.html", "<html><body>404</body></html>"),
        written("a.png", b"\x89PNG\r\n"),
        written("empty.xml", ""),
        written("words.xml", "no XML"),
        "absent.xml",
        "--json",
    )
    assert result.exit_code == 3
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert {(one["format"], one["status"], one["cases"]) for one in told} == {(None, "refused", 0)}
    assert [one["reason"] for one in told] == [
        "an HTML page, not a results file",
        "a PNG image",
        "an empty file",
        "no test could be read: no XML in it",
        "there is no such file",
    ]


def test_one_good_file_among_bad_ones_is_read_and_exit_0() -> None:
    os.mkfifo("pipe")
    result = read("pipe", written("junit.xml"), "absent", "--json")
    assert result.exit_code == 0
    assert [json.loads(line)["status"] for line in result.stdout.splitlines()] == [
        "refused",
        "complete",
        "refused",
    ]


def test_standard_input_is_read_as_what_it_holds() -> None:
    assert objects("-", stdin=RED)[0]["failed"] == 1
    assert objects("-", stdin=LOG)[0]["format"] == "log"


def test_a_folder_gives_what_it_holds_and_counts_what_it_does_not() -> None:
    written("out/junit.xml")
    written("out/notes.md", "words")
    written("out/broken.xml", "words")
    result = read("out", "--json")
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(one["file"], one["status"]) for one in told] == [
        ("out/broken.xml", "refused"),
        ("out/junit.xml", "complete"),
    ]
    assert "1 more file was passed over: neither results nor a log." in result.stderr


def test_members_of_an_archive_are_named_behind_its_name() -> None:
    with zipfile.ZipFile("a.zip", "w") as made:
        made.writestr("x/junit.xml", RED)
    assert [(one["file"], one["failed"]) for one in objects("a.zip")] == [("a.zip!x/junit.xml", 1)]


def test_a_log_is_a_log_though_a_results_file_is_printed_in_it() -> None:
    stamped = "".join(f"2026-05-11T09:14:02.0000000Z {line}\n" for line in RED.split("\n"))
    assert objects(written("log.txt", stamped))[0]["format"] == "log"


def test_people_see_a_table_the_red_tests_the_problems_and_a_sentence() -> None:
    written("a.xml")
    written("b.xml", RED.replace('tests="3"', 'tests="9"'))
    result = read("a.xml", "b.xml", "absent.xml")
    lines = result.stdout.splitlines()
    assert lines[0].split() == [
        "status",
        "format",
        "tests",
        "failed",
        "errored",
        "skipped",
        "outcomes",
        "file",
    ]
    assert lines[1].split() == ["complete", "junit", "3", "1", "0", "1", "█░━", "a.xml"]
    at = lines.index("  failed   t.m::test_b")
    assert lines[at + 1 : at + 3] == ["           assert 1 == 2", "           t/m.py:7, in a.xml"]
    assert "  b.xml: the file claims 9 tests and lists 3" in lines
    assert "  absent.xml: refused: there is no such file" in lines
    assert lines[-2:] == [
        "3 files: 2 complete, 1 refused.",
        "6 test records: 2 passed, 2 failed, 0 errored, 2 skipped.",
    ]


def test_files_of_equal_content_count_once() -> None:
    written("a.xml")
    written("b.xml")
    result = read("a.xml", "b.xml")
    assert "b.xml: the same content as a.xml, so it counts once" in result.stdout
    assert "3 test records: 1 passed, 1 failed, 0 errored, 1 skipped." in result.stdout


def test_names_and_messages_cannot_move_a_terminal_or_command_a_runner() -> None:
    hostile = RED.replace("assert 1 == 2", "&#x9b;31m &#x202e;evil &#10;::error::x").replace(
        "test_b", "\u202etest_b"
    )
    result = read(written("\x1b[31m::error::\n##[error].xml", hostile))
    assert not set("\x1b\x9b\u202e") & set(result.stdout)
    assert not [line for line in result.stdout.splitlines() if line.startswith(("::", "##["))]


def test_long_lists_are_cut_and_the_rest_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_FILES", "MOST_RED", "MOST_PROBLEMS", "MOST_OF_A_FILE", "LONGEST"):
        monkeypatch.setattr(read_story, name, 1 if name != "LONGEST" else 20)
    cases = '<testcase name="a"><failure/></testcase><testcase name="a"><error>words</error></testcase>'
    written("a.xml", f'<testsuite tests="9" failures="9">{cases}<testcase name="b"/></testsuite>')
    written("b.xml", RED.replace('tests="3"', 'tests="8"').replace("assert 1", "assert " + "1" * 30))
    written("green.xml", '<testsuite><testcase name="a"/></testsuite>')
    lines = read("a.xml", "b.xml", "green.xml").stdout.splitlines()
    assert "and 2 more files" in lines
    assert any(line.startswith("  and ") and "--results" in line for line in lines)
    assert any(line.startswith("  and ") and line.endswith("--json tells all of them") for line in lines)


def test_a_cut_log_and_a_log_that_claims_more_than_it_names_say_so() -> None:
    claims = LOG.replace("1 failed", "4 failed")
    assert objects(written("log.txt", claims))[0]["problems"] == ["the log claims 4 failures, and 1 is named"]
    lost = EMPTY_LOG.replace("Process completed with exit code 2.", "The operation was canceled.")
    problems = objects(written("lost.txt", lost))[0]["problems"]
    assert problems[0] == "the runner says: ##[error]The operation was canceled."


def test_nothing_at_all_is_told_as_that() -> None:
    Path("empty").mkdir()
    result = read("empty")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (3, "No file was read.")


def test_a_long_reading_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_line, "EVERY_S", 0.0)
    assert "read 0 files, 0 MB ..." in read(written("a.xml"), "--json").stderr


def test_a_log_without_the_runners_stamps_is_known_by_what_it_says() -> None:
    plain = "".join(f"{line.partition(' ')[2]}\n" for line in LOG.splitlines())
    told = objects(written("out.txt", plain))[0]
    assert (told["format"], told["failed"], told["passed"]) == ("log", 1, 11)


class _Failing(io.RawIOBase):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def read(self, _: int = -1) -> bytes:
        raise self._error


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), Rejected("a.zip", "input/output error")])
def test_a_stream_that_breaks_while_it_is_read_is_refused(error: Exception) -> None:
    given = Given("a.xml", _Failing(error), 9, is_meant=True)  # type: ignore[arg-type]
    told = read_given(given)
    assert told is not None
    assert (told.status, told.reason) == (ReadStatus.REFUSED, "input/output error")


def test_a_log_over_the_limit_is_partial() -> None:
    log = read_job_log(io.BytesIO(b"x\n" * 1000), limit_bytes=100)
    told = of_log("log.txt", log, None)
    assert (told.status, told.reason) == (ReadStatus.PARTIAL, "the middle of the log was left out")


def test_on_a_terminal_one_line_moves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with ReadingProgress() as progress:
        progress.watch(2_000_000)
        progress.watch(1)
        progress.file_done()
    assert "MB ..." not in capsys.readouterr().err


def test_a_bar_shows_every_kind_that_is_there_and_never_grows() -> None:
    many = Counts(cases=10_000, passed=9_990, failed=1, errored=0, skipped=9)
    assert bar(many, plain=False) == "█░" + "━" * (CELLS - 2)
    assert bar(Counts(cases=2, passed=1, errored=1), plain=True) == "E."
    assert bar(Counts(), plain=True) == ""
    assert sum(allot([1, 1, 1, 97], CELLS)) == CELLS
