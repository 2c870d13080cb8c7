"""`db backup` and `db restore`: beside writers, whole or not at all, never over what is there."""

import json
import os
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest
from bench import Bench
from typer.testing import CliRunner, Result

from app.domain.errors import Conflict, Gone, Rejected
from app.settings import Settings
from app.store import measures
from app.store.session import read_only, unit_of_work
from worker import cli
from worker.backup import durable, label, postgres_dump, sqlite_files, whole
from worker.queue.lock import exclusive


def flake_triage(*arguments: str) -> Result:
    return CliRunner().invoke(cli.cli, list(arguments))


@pytest.fixture(autouse=True)
def data_dir(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(bench.settings.data_dir))
    return bench.settings.data_dir


def note(bench: Bench, number: int) -> None:
    with unit_of_work(bench.store) as session:
        for name in ("left", "right"):
            measures.note(session, name, {"": number}, at=bench.clock.now())


def test_a_copy_taken_beside_a_writer_is_of_one_moment_and_holds_nobody_up(
    bench: Bench, tmp_path: Path
) -> None:
    note(bench, 0)
    stop, written = threading.Event(), []

    def write() -> None:
        while not stop.is_set():
            note(bench, len(written))
            written.append(len(written))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            whole.take(bench.settings, tmp_path / f"backup-{number}", now=bench.clock.now())
    finally:
        stop.set()
        writer.join()
    assert written
    for number in range(3):
        with closing(sqlite3.connect(tmp_path / f"backup-{number}" / "app.db")) as copied:
            left, right = (row[0] for row in copied.execute("SELECT value FROM measures ORDER BY name"))
        assert left == right


def test_what_was_backed_up_comes_back(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note(bench, 7)
    made = flake_triage("db", "backup", str(tmp_path / "monday"), "--json")
    told = json.loads(made.stdout)
    assert (made.exit_code, told["kind"], set(told["files"])) == (0, "sqlite", {"app.db", "inbox.db"})
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(tmp_path / "new"))
    back = flake_triage("db", "restore", str(tmp_path / "monday"))
    assert back.exit_code == 0, back.output
    assert "has to come again" in back.stderr
    with closing(sqlite3.connect(tmp_path / "new" / "app.db")) as restored:
        assert restored.execute("SELECT value FROM measures WHERE name = 'left'").fetchone() == (7,)


def test_only_its_owner_may_read_a_backup(bench: Bench, tmp_path: Path) -> None:
    """It holds private logs."""
    whole.take(bench.settings, tmp_path / "monday", now=bench.clock.now())
    assert stat.S_IMODE((tmp_path / "monday").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "monday" / "app.db").stat().st_mode) == 0o600


def test_a_folder_that_is_not_empty_is_left_alone(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "monday").mkdir()
    (tmp_path / "monday" / "mine").touch()
    with pytest.raises(Rejected, match="not empty"):
        whole.take(bench.settings, tmp_path / "monday", now=bench.clock.now())
    assert [one.name for one in (tmp_path / "monday").iterdir()] == ["mine"]


def test_a_backup_that_fails_leaves_nothing_that_looks_like_one(bench: Bench, tmp_path: Path) -> None:
    bench.store.dispose()
    (bench.settings.data_dir / "app.db").write_bytes(b"not a database" * 1000)
    with pytest.raises(Rejected, match="cannot be copied"):
        whole.take(bench.settings, tmp_path / "backups" / "monday", now=bench.clock.now())
    assert list((tmp_path / "backups").iterdir()) == []


@pytest.mark.parametrize("harm", ["cut", "gone", "unlabelled"])
def test_a_damaged_backup_is_refused_before_anything_is_written(
    bench: Bench, tmp_path: Path, harm: str
) -> None:
    folder, new = tmp_path / "monday", Settings(data_dir=tmp_path / "new")
    whole.take(bench.settings, folder, now=bench.clock.now())
    match harm:
        case "cut":
            (folder / "app.db").write_bytes((folder / "app.db").read_bytes()[:-1])
        case "gone":
            (folder / "inbox.db").unlink()
        case _:
            (folder / label.NAME).unlink()
    with pytest.raises((Rejected, Gone), match=r"^restore: "):
        whole.bring_back(new, folder)
    assert not new.data_dir.exists()


def test_databases_that_are_there_are_never_written_over(bench: Bench, tmp_path: Path) -> None:
    note(bench, 1)
    whole.take(bench.settings, tmp_path / "monday", now=bench.clock.now())
    note(bench, 2)
    with pytest.raises(Rejected, match="move them away"):
        whole.bring_back(bench.settings, tmp_path / "monday")
    with read_only(bench.store) as session:
        assert measures.every(session)["left", ""].value == 2


def test_nothing_is_brought_back_under_a_running_worker(bench: Bench, tmp_path: Path) -> None:
    whole.take(bench.settings, tmp_path / "monday", now=bench.clock.now())
    new = Settings(data_dir=tmp_path / "new")
    with (
        exclusive(new.data_dir / "worker.queue.lock", subject="worker"),
        pytest.raises(Conflict, match=r"^restore, while a worker runs: process"),
    ):
        whole.bring_back(new, tmp_path / "monday")


def test_a_backup_goes_back_to_the_kind_of_database_it_is_of(bench: Bench, tmp_path: Path) -> None:
    whole.take(bench.settings, tmp_path / "monday", now=bench.clock.now())
    other = Settings.model_validate(
        {"data_dir": tmp_path, "database_url": "postgresql://u:p@127.0.0.1:9/none"}
    )
    with pytest.raises(Rejected, match="of sqlite"):
        whole.bring_back(other, tmp_path / "monday")


def test_where_nothing_is_there_is_nothing_to_back_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(tmp_path / "none"))
    result = flake_triage("db", "backup", str(tmp_path / "monday"))
    assert isinstance(result.exception, Rejected)
    assert not (tmp_path / "monday").exists()


def test_a_database_with_tables_is_never_loaded_into(postgres_url: str, tmp_path: Path) -> None:
    settings = Settings.model_validate({"data_dir": tmp_path, "database_url": postgres_url})
    with pytest.raises(Rejected, match="tables already"):
        postgres_dump.load(tmp_path, settings)


def test_a_failing_program_is_told_without_the_password(tmp_path: Path) -> None:
    url = "postgresql://triage:hunter2hunter2@127.0.0.1:9/none"
    settings = Settings.model_validate({"data_dir": tmp_path, "database_url": url})
    with pytest.raises((Rejected, Gone)) as refused:
        postgres_dump.dump(settings, tmp_path)
    assert "hunter2" not in str(refused.value)


def test_without_the_programs_it_is_said_what_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    url = "postgresql://triage:hunter2hunter2@127.0.0.1:9/none"
    settings = Settings.model_validate({"data_dir": tmp_path, "database_url": url})
    with pytest.raises(Gone, match="pg_dump --format=custom") as absent:
        postgres_dump.dump(settings, tmp_path)
    assert "hunter2" not in str(absent.value)
    assert str(tmp_path) not in str(absent.value), "a folder that is gone when the message is read"


def test_a_restored_file_is_its_owners_alone_from_its_first_byte(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "app.db.restoring"
    os.mkfifo(source)
    former = os.umask(0)
    copying = threading.Thread(target=durable.copy_private, args=(source, target))
    copying.start()
    try:
        with source.open("wb") as slow:  # returns once the copy has begun
            assert stat.S_IMODE(target.stat().st_mode) == 0o600
            slow.write(b"private")
    finally:
        copying.join()
        os.umask(former)
    assert target.read_bytes() == b"private"
    with pytest.raises(FileExistsError):
        durable.copy_private(target, target)
    assert target.read_bytes() == b"private", "what was there is nobody's to remove"


def test_a_restore_that_fails_leaves_no_part_of_it(bench: Bench, tmp_path: Path) -> None:
    folder, new = tmp_path / "monday", tmp_path / "new"
    names = list(whole.take(bench.settings, folder, now=bench.clock.now()).files)
    (folder / "inbox.db").unlink()
    with pytest.raises(FileNotFoundError):
        sqlite_files.put(folder, new, names)
    assert list(new.iterdir()) == []


@pytest.mark.parametrize(
    "written",
    [
        "[]",
        "null",
        '{"schema": 1}',
        '{"schema": 1, "kind": "sqlite", "taken_at": "2026-11-30T12:00:00+00:00", "version": "1"}',
        '{"schema": 1, "kind": "sqlite", "taken_at": "yesterday", "version": "1", "files": {}}',
        '{"schema": 1, "kind": "floppy", "taken_at": "2026-11-30T12:00Z", "version": "1", "files": {}}',
        "\udcff",
    ],
)
def test_a_label_that_is_not_as_written_is_refused_in_words(tmp_path: Path, written: str) -> None:
    (tmp_path / label.NAME).write_bytes(written.encode("utf-8", "surrogateescape"))
    with pytest.raises(Rejected, match="cannot be read"):
        label.read(tmp_path)


def test_a_label_of_another_schema_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / label.NAME).write_text('{"schema": 2, "files": []}')
    with pytest.raises(Rejected, match="another kind"):
        label.read(tmp_path)
