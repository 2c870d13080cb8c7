"""Before a process uses PostgreSQL: it waits for the server, and says what for."""

import threading
from pathlib import Path

import pytest
from fixtures_postgres import Server, server

from app.domain.errors import Rejected, Unavailable
from app.settings import Settings
from worker.demo.service import require_empty
from worker.upgrade import upgrade


def settings_for(url: str, folder: Path) -> Settings:
    return Settings.model_validate({"database_url": url, "data_dir": folder / "unused"})


def test_server_that_comes_later_is_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with server() as started:
        settings = settings_for(started.new_database(migrated=False), tmp_path)
        started.stop()
        done: list[bool] = []
        waiting = threading.Thread(target=lambda: done.append(upgrade(settings, wait_s=60)))
        waiting.start()
        while not (said := capsys.readouterr().err):
            waiting.join(0.05)
        started.start()
        waiting.join(60)
        assert done == [True]
        assert said.startswith("waiting for postgresql:///test_1: connection")
        assert upgrade(settings) is False
    assert not settings.data_dir.exists(), "nothing of it is kept in files"


def test_server_that_stays_away_is_told(tmp_path: Path) -> None:
    url = "postgresql://me:geheimnis@127.0.0.1:1/triage"
    with pytest.raises(Unavailable, match="refused") as told:
        upgrade(settings_for(url, tmp_path), wait_s=0)
    assert "geheimnis" not in str(told.value)


@pytest.mark.parametrize(
    ("user", "name", "told"),
    [
        ("postgres", "absent", 'database "absent" does not exist; make it with `createdb`'),
        ("nobody", "postgres", 'role "nobody" does not exist; make it with `createuser`'),
    ],
)
def test_what_is_not_there_is_told_with_what_to_do(
    postgres: Server, user: str, name: str, told: str, tmp_path: Path
) -> None:
    settings = settings_for(postgres.url(name).replace("postgres@", f"{user}@"), tmp_path)
    with pytest.raises(Unavailable, match=told):
        upgrade(settings, wait_s=0)
    with pytest.raises(Unavailable, match=f"^--database: .*{told}"):
        require_empty(settings)


def test_database_of_another_encoding_is_refused(postgres: Server, tmp_path: Path) -> None:
    postgres._run("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    with pytest.raises(Rejected, match="its encoding is LATIN1; make the database with ENCODING 'UTF8'"):
        upgrade(settings_for(postgres.url("latin"), tmp_path))
    postgres.drop(postgres.url("latin"))
