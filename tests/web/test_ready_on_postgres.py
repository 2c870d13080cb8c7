"""Ready on PostgreSQL: room is asked of the server, whose disk it is, and nothing of the asking stays."""

from pathlib import Path

from pydantic import SecretStr
from starlette.testclient import TestClient
from web_apps import build, dispose

from app.deps import Wiring
from app.settings import Settings
from app.store import inbox
from app.store.session import read_only


def test_room_for_the_delivery_that_was_refused_is_asked_of_the_server(
    postgres_url: str, tmp_path: Path
) -> None:
    app = build(Settings(data_dir=tmp_path / "none", database_url=SecretStr(postgres_url)))
    wired: Wiring = app.state.wiring
    with TestClient(app, base_url="http://127.0.0.1:8077") as client:
        wired.writer.unstored_bytes = 100_000
        assert client.get("/readyz").status_code == 200
        assert wired.writer.unstored_bytes is None
        with read_only(wired.inbox) as session:
            assert inbox.newest(session, limit=1) == []
    dispose(app)


def test_server_that_takes_no_writes_is_not_ready_for_deliveries(postgres_url: str, tmp_path: Path) -> None:
    url = f"{postgres_url}&options=-c%20default_transaction_read_only%3Don"
    app = build(Settings(data_dir=tmp_path / "none", database_url=SecretStr(url)))
    wired: Wiring = app.state.wiring
    with TestClient(app, base_url="http://127.0.0.1:8077") as client:
        assert client.get("/readyz").status_code == 200
        wired.writer.unstored_bytes = 100_000
        assert client.get("/readyz").status_code == 503
        assert wired.writer.unstored_bytes == 100_000
    dispose(app)
