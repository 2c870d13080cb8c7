"""`flake-triage health`: by a worker's lease, on this host unless told otherwise."""

import json
import socket
from datetime import timedelta
from pathlib import Path

import pytest
from bench import Bench
from sqlalchemy import update
from typer.testing import CliRunner, Result

from app.store import workers
from app.store.session import unit_of_work
from app.store.workers import Worker, WorkerRow
from worker import cli


def health(*arguments: str) -> Result:
    return CliRunner().invoke(cli.cli, ["health", *arguments])


@pytest.fixture(autouse=True)
def data_dir(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(bench.settings.data_dir))
    return bench.settings.data_dir


def worker(bench: Bench, name: str, *, host: str = "", silent_s: float = 0) -> None:
    with unit_of_work(bench.store) as session:
        workers.register(session, Worker(name, host or socket.gethostname(), 1, "0"))
        beat_at = workers.leases(session)[-1].beat_at - timedelta(seconds=silent_s)
        session.execute(update(WorkerRow).where(WorkerRow.executor_id == name).values(beat_at=beat_at))


def test_a_worker_that_renews_its_lease_is_healthy(bench: Bench) -> None:
    worker(bench, "one")
    result = health()
    assert result.exit_code == 0
    assert result.stdout.startswith("1 alive")


def test_without_a_worker_the_exit_code_says_so() -> None:
    result = health("--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {"alive": 0, "silent_s": None}


def test_a_silent_worker_is_not_alive(bench: Bench) -> None:
    worker(bench, "one", silent_s=90)
    result = health()
    assert result.exit_code == 1
    assert "90 s ago" in result.stderr or "91 s ago" in result.stderr


def test_a_worker_elsewhere_does_not_make_this_host_healthy(bench: Bench) -> None:
    worker(bench, "one", host="another")
    assert health().exit_code == 1
    assert health("--anywhere").exit_code == 0
