"""`flake-triage lint`: what it prints for people, programs and code scanning, and its exit codes."""

import json
import re
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.domain.lint.finding import Rule
from worker import cli, progress_line
from worker.commands.lint_progress import LintProgress

BARE = "bare-exit-code-assertion"
WEAK = """\
import multiprocessing


def work(rank):
    print(rank)


def run():
    processes = [multiprocessing.Process(target=work, args=(rank,)) for rank in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert all(process.exitcode == 0 for process in processes)


def test_one():
    run()


def test_two():
    run()
"""
LINE = 1 + WEAK.split("\n").index("    assert all(process.exitcode == 0 for process in processes)")
CLEAN = "def test_sum():\n    assert 1 + 1 == 2\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("tests").mkdir()
    Path("tests/test_weak.py").write_text(WEAK)
    Path("tests/test_clean.py").write_text(CLEAN)
    return tmp_path


def lint(*arguments: str) -> Result:
    return CliRunner().invoke(cli.cli, ["lint", *arguments])


def objects(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def suppress(reason: str = "codes are in the log", rule: str = BARE) -> None:
    commented = WEAK.split("\n")
    commented[LINE - 1] += f"  # flake-triage: ignore[{rule}] {reason}".rstrip()
    Path("tests/test_weak.py").write_text("\n".join(commented))


def test_findings_are_told_by_file_with_tests_sisters_and_mend_and_exit_1() -> None:
    result = lint("tests", "--rule", BARE)
    assert (result.exit_code, result.stderr) == (1, "1 finding in 1 of 2 files\n")
    lines = result.stdout.splitlines()
    assert lines[:2] == ["tests/test_weak.py", f"  {LINE}:5  {BARE}"]
    assert "      in test_one; the same in test_two" in lines
    assert lines[lines.index("      mend:") + 1].startswith("          ")
    assert "\x1b" not in result.stdout


def test_the_current_folder_is_linted_where_nothing_is_named() -> None:
    assert [one["path"] for one in objects(lint("--json", "--rule", BARE))] == ["tests/test_weak.py"]


def test_a_clean_file_is_exit_0_with_nothing_on_stdout() -> None:
    result = lint("tests/test_clean.py")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "nothing found in 1 file\n")


def test_the_window_of_a_mend_is_told_by_both_its_calls() -> None:
    planning = """\
        import torch.distributed as dist


        def plan(batch, flag):
            dist.barrier()
            if len(batch) > 8:
                raise ValueError("no packing fits")
            dist.all_reduce(flag, op=dist.ReduceOp.MIN)
        """
    Path("planning.py").write_text(dedent(planning))
    result = lint("planning.py", "--rule", "rank-local-raise-before-collective")
    assert (
        "a mend must stand\n          after  line 5: dist.barrier()\n          before line 8: "
        in result.stdout
    )
    assert "mend:" in result.stdout


@pytest.mark.parametrize("option", [["--json"], ["--format", "json"], ["--output-format=json"]])
def test_programs_read_one_object_a_line_of_the_contract_s_shape(option: list[str]) -> None:
    result = lint("tests", "--rule", BARE, *option)
    [told] = objects(result)
    assert result.exit_code == 1
    assert {name: told[name] for name in ("path", "line", "rule", "test", "sisters")} == {
        "path": "tests/test_weak.py",
        "line": LINE,
        "rule": BARE,
        "test": "tests/test_weak.py::test_one",
        "sisters": ["tests/test_weak.py::test_two"],
    }
    assert told["text"]
    assert told["mend"]


@pytest.mark.parametrize(
    ("options", "is_told"),
    [
        (["--rule", BARE], True),
        (["--select", f"one-item-drained,{BARE}"], True),
        (["--rule", "one-item-drained", BARE], True),
        (["--rule", "one-item-drained", "--rule", BARE], True),
        (["--rule", "one-item-drained"], False),
        (["--ignore", BARE], False),
        (["--ignore", "one-item-drained", BARE], False),
        (["--ignore", "one-item-drained"], True),
        (["--rule", f"one-item-drained,{BARE}", "--ignore", "one-item-drained"], True),
    ],
)
def test_rules_are_asked_for_and_left_out_by_name(options: list[str], is_told: bool) -> None:  # noqa: FBT001 - of a table
    assert (BARE in {one["rule"] for one in objects(lint("tests", "--json", *options))}) == is_told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--rule", "bare-exit-code"],
            "--rule: 'bare-exit-code' is no rule; is bare-exit-code-assertion meant?",
        ),
        (["--ignore", "zzz"], "--ignore: 'zzz' is no rule; the rules are init-outside-try, "),
        (["--rule", BARE, "--ignore", BARE], "--ignore leaves no rule of those asked for"),
        (["--rule", BARE, "--ignore", "init-outside-try", "one-item-drained"], "Put commas between rules"),
        (["--explain", "bare"], "--explain: 'bare' is no rule"),
        (["--json", "--format", "sarif"], "--json and --format sarif exclude each other"),
        (["--format", "xml"], "'xml' is not one of"),
        (["nowhere"], "nowhere does not exist"),
        (["tests", "--sarif", "nowhere/lint.sarif"], "--sarif: nowhere is no folder"),
    ],
)
def test_wrong_use_is_exit_2_with_a_sentence(arguments: list[str], said: str) -> None:
    result = lint(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in " ".join(re.sub("[│╭╮╰╯─]", " ", result.stderr).split())


def test_where_nothing_could_be_read_it_is_exit_3() -> None:
    Path("tests/test_weak.py").write_text("def test(:\n")
    result = lint("tests/test_weak.py")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.startswith("tests/test_weak.py: line 1: ")
    assert result.stderr.endswith("\nno Python file was read; 1 could not be read\n")
    Path("empty").mkdir()
    empty = lint("empty")
    assert (empty.exit_code, empty.stderr) == (3, "no Python file was read\n")


def test_a_file_that_could_not_be_read_among_clean_ones_is_no_good_news() -> None:
    Path("tests/test_weak.py").write_bytes(b"\n\nx = '\xe9'\n")
    result = lint("tests", "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "tests/test_weak.py: line 3: is not utf-8; a file of another encoding names it in its first lines\n"
        "nothing found in 1 file; 1 could not be read\n"
    )


def test_a_suppressed_finding_is_counted_and_no_longer_told() -> None:
    suppress()
    result = lint("tests", "--rule", BARE)
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        "",
        "nothing found in 2 files; 1 suppressed\n",
    )


def test_a_suppression_without_a_reason_is_told_on_stderr_and_exit_1() -> None:
    suppress(reason="")
    result = lint("tests", "--rule", BARE, "--json")
    assert (result.exit_code, len(objects(result))) == (1, 1)
    assert result.stderr == (
        f"tests/test_weak.py:{LINE}: suppression: it gives no reason, so it suppresses nothing\n"
        "1 finding in 1 of 2 files; 1 suppression to mend\n"
    )


def test_a_suppression_of_nothing_is_exit_1_unless_its_rule_was_not_asked_for() -> None:
    suppress(rule="port-found-then-released")
    assert lint("tests", "--rule", "port-found-then-released").exit_code == 1
    assert lint("tests", "--rule", "one-item-drained").exit_code == 0


def test_sarif_is_written_beside_what_is_printed() -> None:
    result = lint("tests", "--rule", BARE, "--sarif", "lint.sarif")
    log = json.loads(Path("lint.sarif").read_text())
    [told] = log["runs"][0]["results"]
    assert (told["ruleId"], result.exit_code) == (BARE, 1)
    assert result.stdout.startswith("tests/test_weak.py\n")


def test_sarif_alone_is_on_stdout_as_a_whole() -> None:
    suppress()
    hidden = json.loads(lint("tests", "--rule", BARE, "--format", "sarif").stdout)
    shown = json.loads(lint("tests", "--rule", BARE, "--format", "sarif", "--show-suppressed").stdout)
    assert (len(hidden["runs"][0]["results"]), len(shown["runs"][0]["results"])) == (0, 1)


def test_sarif_names_what_could_not_be_read() -> None:
    Path("tests/test_weak.py").write_text("def test(:\n")
    log = json.loads(lint("tests", "--format", "sarif").stdout)
    [told] = log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "tests/test_weak.py"


def test_a_step_that_only_reports_exits_0_but_not_where_nothing_was_read() -> None:
    assert lint("tests", "--exit-zero").exit_code == 0
    Path("tests/test_weak.py").write_text("def test(:\n")
    assert lint("tests/test_weak.py", "--exit-zero").exit_code == 3


def test_hostile_names_and_texts_keep_to_their_line_and_move_no_terminal() -> None:
    name = "tests/test_\n\x1b[2J\udcff.py"
    Path(name).write_text(WEAK)
    text = lint(name, "--rule", BARE)
    assert text.stdout.splitlines()[0] == "tests/test_\\n\\x1b[2J\\udcff.py"
    [told] = objects(lint(name, "--rule", BARE, "--json"))
    assert told["path"] == name
    Path(name).write_text("def test(:\n")
    assert lint(name).stderr.startswith("tests/test_\\n\\x1b[2J\\udcff.py: line 1: ")


@pytest.mark.parametrize("rule", Rule)
def test_every_rule_is_explained_with_an_example_bad_and_mended(rule: Rule) -> None:
    result = lint("--explain", rule.value)
    lines = result.stdout.splitlines()
    assert (result.exit_code, lines[0]) == (0, rule.value)
    assert lines.index("Bad") < lines.index("Mended")
    [told] = objects(lint("--explain", rule.value, "--json"))
    assert set(told) == {"rule", "short", "why", "mend", "bad", "mended"}


def test_help_has_an_example() -> None:
    assert "Example: flake-triage lint tests --sarif lint.sarif" in lint("--help").stdout


def test_a_long_run_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with LintProgress(2000) as progress:
        progress.step()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress_line, "EVERY_S", 0.0)
    with LintProgress(2000) as progress:
        progress.step()
    assert capsys.readouterr().err == "linted 1 of 2,000 files ...\n"


def test_on_a_terminal_one_line_moves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with LintProgress(2) as progress:
        progress.step()
        progress.step()
    assert "2,000" not in capsys.readouterr().err


def test_several_findings_of_one_test_say_that_there_may_be_another_behind_them() -> None:
    last = "After mending run it again: behind several findings of one test there may be another.\n"
    slow = (
        "        process.join(timeout=9)\n        if process.is_alive():\n            process.terminate()\n"
    )
    Path("tests/test_weak.py").write_text(WEAK.replace("        process.join()\n", slow))
    assert lint("tests", "--rule", BARE).stderr == "1 finding in 1 of 2 files\n"
    assert lint("tests").stderr == f"2 findings in 1 of 2 files\n{last}"
    assert last not in lint("tests", "--format", "json").stderr
