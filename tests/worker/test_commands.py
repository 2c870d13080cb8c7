"""The command line: what it prints, where, and its exit codes."""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from bench import Bench
from typer.testing import CliRunner, Result

from app.settings import Settings
from app.store import migrate, tasks, workers
from app.store.outbox import Order
from app.store.session import unit_of_work
from app.store.tasks import TaskState
from app.store.workers import Worker
from worker import cli, trouble


def flake_triage(*arguments: str) -> Result:
    return CliRunner().invoke(cli.cli, list(arguments))


def main(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """The entry point itself, which turns what is expected to go wrong into sentences."""
    monkeypatch.setattr(sys, "argv", ["flake-triage", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.fixture(autouse=True)
def data_dir(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(bench.settings.data_dir))
    return bench.settings.data_dir


def dead(bench: Bench, key: str, error: str = "payload: no run") -> None:
    bench.note(Order(key, "fetch_artifacts", {"schema": 1}))
    with unit_of_work(bench.store) as session:
        tasks.begin_try(session, key, number=1, at=bench.clock.now())
        tasks.bury(session, key, at=bench.clock.now(), family="rejected", error=error)


def test_tasks_are_listed_as_one_object_a_line(bench: Bench) -> None:
    dead(bench, "fetch:1")
    bench.note(Order("fetch:2", "fetch_artifacts", {}, partition="octo/widgets"))
    result = flake_triage("tasks", "list", "--json")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert (result.exit_code, [line["key"] for line in lines]) == (0, ["fetch:1", "fetch:2"])
    assert lines[0] == {
        "key": "fetch:1",
        "stage": "fetch_artifacts",
        "state": "dead",
        "partition": None,
        "payload": {"schema": 1},
        "tries": 1,
        "total_tries": 1,
        "interrupted": 0,
        "executor": None,
        "error_family": "rejected",
        "error": "payload: no run",
        "next_at": None,
        "created_at": "2026-11-30T12:00:00+00:00",
        "updated_at": "2026-11-30T12:00:00+00:00",
    }


def test_workers_are_listed_with_their_running_tasks(bench: Bench) -> None:
    nobody = flake_triage("workers")
    assert (nobody.exit_code, nobody.stdout, nobody.stderr) == (0, "", "No worker lives.\n")
    bench.note(Order("fetch:1", "fetch_artifacts", {}))
    with unit_of_work(bench.store) as session:
        for pid in (7, 8):
            workers.register(session, Worker(f"host-{pid}", "host", pid, "0.1.0"))
        tasks.begin_try(session, "fetch:1", number=1, at=bench.clock.now(), executor="host-7")
    for_people = flake_triage("workers").stdout.splitlines()
    assert re.fullmatch(r"host-7  heard of \d+ s ago  1 running task", for_people[0])
    assert re.fullmatch(r"host-8  heard of \d+ s ago  0 running tasks", for_people[1])
    lines = [json.loads(line) for line in flake_triage("workers", "--json").stdout.splitlines()]
    assert [(line["pid"], line["running"]) for line in lines] == [(7, 1), (8, 0)]


def test_list_can_be_narrowed_to_a_state(bench: Bench) -> None:
    dead(bench, "fetch:1")
    bench.note(Order("fetch:2", "fetch_artifacts", {}))
    result = flake_triage("tasks", "list", "--state", "queued", "--json")
    assert [json.loads(line)["key"] for line in result.stdout.splitlines()] == ["fetch:2"]


def test_list_for_people_shows_one_line_a_task_whatever_its_error_holds(bench: Bench) -> None:
    dead(bench, "fetch:1", error="first\nsecond\x1b[2J")
    result = flake_triage("tasks", "list")
    assert result.stdout == "dead        1 try  fetch:1  rejected: first second\\u001b[2J\n"


def test_waiting_task_says_until_when(bench: Bench) -> None:
    bench.note(Order("fetch:1", "fetch_artifacts", {}))
    now = bench.clock.now()
    with unit_of_work(bench.store) as session:
        tasks.wait(session, "fetch:1", at=now, next_at=now, family="unavailable", error="runs: 502")
    assert (
        "fetch:1  until 2026-11-30 12:00:00 UTC  unavailable: runs: 502"
        in flake_triage("tasks", "list").stdout
    )


@pytest.mark.parametrize(
    ("arguments", "said"), [([], "No tasks.\n"), (["--state", "dead"], "No tasks are dead.\n")]
)
def test_empty_list_is_said_on_stderr_only(arguments: list[str], said: str) -> None:
    result = flake_triage("tasks", "list", "--json", *arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", said)


def test_retry_orders_the_dead_task_and_says_which_key_was_not_dead(bench: Bench) -> None:
    dead(bench, "fetch:1")
    result = flake_triage("tasks", "retry", "fetch:1", "fetch:9", "--json")
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {"key": "fetch:1", "retried": True},
        {"key": "fetch:9", "retried": False},
    ]
    assert result.exit_code == 0
    assert bench.task("fetch:1").state is TaskState.QUEUED
    assert [(order.key, order.number) for order in bench.due()] == [("fetch:1", 2)]


def test_retry_speaks_to_people_in_sentences(bench: Bench) -> None:
    dead(bench, "fetch:1")
    result = flake_triage("tasks", "retry", "fetch:1", "fetch:9")
    assert result.stdout == "fetch:1: will be tried again\n"
    assert result.stderr == "fetch:9: is not a dead task\n"


def test_all_dead_tasks_are_retried_together(bench: Bench) -> None:
    for number in range(3):
        dead(bench, f"fetch:{number}")
    result = flake_triage("tasks", "retry", "--all")
    assert result.exit_code == 0
    assert {order.key for order in bench.due()} == {"fetch:0", "fetch:1", "fetch:2"}


def test_retry_of_a_task_that_is_not_dead_is_exit_code_3() -> None:
    assert flake_triage("tasks", "retry", "fetch:9").exit_code == 3


def test_all_of_none_is_nothing_to_complain_of() -> None:
    result = flake_triage("tasks", "retry", "--all")
    assert (result.exit_code, result.stderr) == (0, "No tasks are dead.\n")


@pytest.mark.parametrize("arguments", [[], ["--all", "fetch:1"]])
def test_retry_wants_either_keys_or_all(arguments: list[str]) -> None:
    assert flake_triage("tasks", "retry", *arguments).exit_code == 2


def test_retry_of_a_task_that_runs_changes_nothing(bench: Bench) -> None:
    bench.note(Order("fetch:1", "fetch_artifacts", {}))
    assert flake_triage("tasks", "retry", "fetch:1").exit_code == 3
    assert bench.task("fetch:1").number == 1


@pytest.mark.parametrize(
    "command",
    [["tasks", "list"], ["tasks", "retry", "k"], ["verdicts"], ["groups"], ["verdict", "show", "1"]],
)
def test_folder_without_database_is_a_sentence_and_exit_code_3(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(tmp_path / "none"))
    assert main(command, monkeypatch) == 3
    told = capsys.readouterr().err
    assert told.startswith(f"flake-triage: {command[0]}")
    assert "holds no database yet; `flake-triage serve` or `flake-triage ingest` fills one" in told
    assert not (tmp_path / "none").exists()


def test_file_that_is_no_database_is_a_sentence_and_exit_code_3(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in data_dir.glob("app.db*"):
        file.unlink()
    (data_dir / "app.db").write_bytes(b"no database" * 1000)
    assert main(["tasks", "list"], monkeypatch) == 3
    told = "flake-triage: the database in FLAKE_TRIAGE_DATA_DIR cannot be used: file is not a database\n"
    assert capsys.readouterr().err == told


def test_wrong_setting_names_its_variable_and_not_its_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_PORT", "hunter2")
    assert main(["db", "upgrade"], monkeypatch) == 2
    said = capsys.readouterr().err
    assert said == "flake-triage: FLAKE_TRIAGE_PORT: must be a whole number\n"


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("PORT", "70000", "must be at most 65535"),
        ("WORKER_THREADS", "0", "must be at least 1"),
        ("RETRY_BASE_S", "0", "must be more than 0"),
        ("RETRY_BASE_S", "soon", "must be a number"),
        ("READ_PASSED_LOGS", "perhaps", "must be true or false"),
        ("PUBLIC_URL", "triage.example.org", "must be a whole address that begins with https:// or http://"),
        ("PUBLIC_URL", "https://[half", "must be a whole address that begins with https:// or http://"),
        ("REPOSITORIES", "octo/lib, noslash", "must be owner/name, or several of them with commas between"),
        (
            "WEBHOOK_SECRET",
            "changeme",
            "is empty or a placeholder; make one with: openssl rand -hex 32",
        ),
    ],
)
def test_each_wrong_setting_is_told_in_words_of_ours(
    variable: str, value: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(f"FLAKE_TRIAGE_{variable}", value)
    assert main(["db", "upgrade"], monkeypatch) == 2
    assert capsys.readouterr().err == f"flake-triage: FLAKE_TRIAGE_{variable}: {told}\n"


@pytest.mark.parametrize("command", ["serve", "web"])
def test_open_door_is_refused_at_once(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_HOST", "0.0.0.0")
    assert main([command], monkeypatch) == 2
    assert capsys.readouterr().err.startswith(
        "flake-triage: FLAKE_TRIAGE_WEBHOOK_SECRET: not set, and 0.0.0.0 can be reached from other machines"
    )


def test_port_that_watch_is_told_is_not_exchanged_for_another(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["watch", "octo/lib", "--port", str(port)], monkeypatch) == 3
    told = f"flake-triage: port {port}: taken by another process on 127.0.0.1; name another one in --port\n"
    assert capsys.readouterr().err == told


@pytest.mark.parametrize("command", ["serve", "web"])
def test_port_that_is_taken_is_named_with_the_setting_to_change(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setenv("FLAKE_TRIAGE_PORT", str(port))
        assert main([command], monkeypatch) == 3
    told = f"flake-triage: port {port}: taken by another process on 127.0.0.1; name another one in "
    assert f"{told}FLAKE_TRIAGE_PORT\n" in capsys.readouterr().err


def test_address_of_another_machine_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_HOST", "192.0.2.1")
    monkeypatch.setenv("FLAKE_TRIAGE_WEBHOOK_SECRET", "a secret of this test")
    assert main(["web"], monkeypatch) == 3
    told = capsys.readouterr().err
    assert "flake-triage: address 192.0.2.1: not one of this machine" in told
    assert "FLAKE_TRIAGE_HOST" in told


def test_misspelt_setting_is_told_with_the_one_that_is_meant(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_HSOT", "1")
    monkeypatch.setenv("FLAKE_TRIAGE_ZZZZZZ", "1")
    assert main(["tasks", "list"], monkeypatch) == 0
    assert capsys.readouterr().err.splitlines()[:2] == [
        "flake-triage: FLAKE_TRIAGE_HSOT is no setting; is FLAKE_TRIAGE_HOST meant?",
        "flake-triage: FLAKE_TRIAGE_ZZZZZZ is no setting",
    ]


def test_folder_that_cannot_be_made_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(tmp_path / "file" / "data"))
    assert main(["db", "upgrade"], monkeypatch) == 2
    assert "FLAKE_TRIAGE_DATA_DIR: " in (told := capsys.readouterr().err)
    assert "is not a folder; name one that may be made or written" in told
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(tmp_path / "file"))
    assert main(["db", "upgrade"], monkeypatch) == 2
    assert "is not a folder" in capsys.readouterr().err


def test_folder_that_cannot_be_written_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", "/proc/flake-triage")
    assert main(["db", "upgrade"], monkeypatch) == 2
    assert "FLAKE_TRIAGE_DATA_DIR: /proc/flake-triage cannot be written (" in capsys.readouterr().err


def test_wrong_address_of_the_demo_s_database_names_the_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--exit", "--database", "sqlite:///x"], monkeypatch) == 2
    assert "flake-triage: --database: must begin with postgresql://" in capsys.readouterr().err


def test_other_trouble_with_a_file_names_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        (tmp_path / "gone").read_bytes()
    assert trouble.tell(raised.value) == 3
    assert trouble.tell(OSError("more than we take")) == 3
    told = f"flake-triage: {tmp_path / 'gone'}: no such file or directory\nflake-triage: more than we take\n"
    assert capsys.readouterr().err == told


def test_upgrade_makes_both_databases_and_may_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(tmp_path / "new"))
    for is_changed in (True, False):
        result = flake_triage("db", "upgrade", "--json")
        assert json.loads(result.stdout) == {"data_dir": str(tmp_path / "new"), "upgraded": is_changed}
    settings = Settings()
    assert migrate.is_current(settings.app_database_url, "app")
    assert migrate.is_current(settings.inbox_database_url, "inbox")
    assert "were up to date already" in flake_triage("db", "upgrade").stdout
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(tmp_path / "newer"))
    assert "were brought to the newest schema" in flake_triage("db", "upgrade").stdout


def test_three_upgrades_at_once_leave_one_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(tmp_path / "new"))
    command = [sys.executable, "-m", "worker", "db", "upgrade"]
    started = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [process.wait(timeout=60) for process in started] == [0, 0, 0]
    assert migrate.is_current(Settings().app_database_url, "app")


@pytest.mark.parametrize(
    "command",
    [
        *(
            [name]
            for name in ("tasks", "db", "verdict", "serve", "web", "worker", "demo", "ingest", "verdicts")
        ),
        *(["tasks", "list"], ["tasks", "retry"], ["db", "upgrade"], ["verdict", "show"], ["groups"], []),
    ],
)
def test_help_of_every_command_and_group_has_an_example(command: list[str]) -> None:
    result = flake_triage(*command, "--help")
    assert (result.exit_code, bool(re.search(r"Example: .*flake-triage", result.stdout))) == (0, True)
    if command not in ([], ["tasks"], ["db"], ["verdict"]):
        assert "--json" in result.stdout


def test_version_is_that_of_the_package() -> None:
    assert flake_triage("--version").stdout == f"flake-triage {version('flake-triage')}\n"
