"""SIGTERM under load: what was acknowledged is kept, what runs may end, and the exit code is 0."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from bench import Bench
from fixtures_postgres import server
from killable import Workers
from pydantic import SecretStr
from sqlalchemy import select

from app.settings import Settings
from app.store.inbox import DeliveryRow
from app.store.session import read_only
from app.store.tasks import TaskState

SENDERS = 8
BODY = json.dumps(
    {"action": "completed", "repository": {"full_name": "octo/widgets"}, "padding": "x" * 20_000}
)
ENDS_WITHIN_S = 15.0
"""The web gives answers under way 5 s; the rest is for a busy machine."""


class Web:
    """The web process alone, on a free port."""

    def __init__(self, settings: Settings) -> None:
        environment = settings.as_environment() | {"FLAKE_TRIAGE_PORT": "0"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "worker", "web", "--json"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self.process.stdout is not None
        self.url: str = json.loads(self.process.stdout.readline())["url"]
        httpx.get(
            f"{self.url}/healthz", timeout=60
        ).raise_for_status()  # it listens already, and answers later

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def web(settings: Settings) -> Iterator[Web]:
    started = Web(settings)
    yield started
    started.end()


class Load:
    """Sends deliveries until nobody takes them; remembers which were acknowledged."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.acknowledged: list[str] = []
        self.enough = threading.Event()

    def send(self, sender: int) -> None:
        with httpx.Client(timeout=10) as client:
            for number in range(10_000):
                guid = f"{sender}-{number}"
                headers = {
                    "Content-Type": "application/json",
                    "X-GitHub-Event": "workflow_run",
                    "X-GitHub-Delivery": guid,
                }
                try:
                    answer = client.post(f"{self._url}/webhooks/github", content=BODY, headers=headers)
                except httpx.TransportError:
                    return
                if answer.is_success:
                    self.acknowledged.append(guid)
                if len(self.acknowledged) > 40:
                    self.enough.set()


def test_a_web_that_is_stopped_has_kept_every_delivery_it_acknowledged(bench: Bench, web: Web) -> None:
    load = Load(web.url)
    with ThreadPoolExecutor(SENDERS) as senders:
        for sender in range(SENDERS):
            senders.submit(load.send, sender)
        assert load.enough.wait(60)
        asked_s = time.monotonic()
        web.process.send_signal(signal.SIGTERM)
        assert web.process.wait(timeout=60) == 0
        assert time.monotonic() - asked_s < ENDS_WITHIN_S
    with read_only(bench.deps.inbox) as session:
        kept = set(session.scalars(select(DeliveryRow.guid)))
    assert set(load.acknowledged) <= kept


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_idle_web_ends_well_by_either_signal(web: Web, number: signal.Signals) -> None:
    os.kill(web.process.pid, number)
    assert web.process.wait(timeout=60) == 0


@pytest.fixture
def workers(settings: Settings) -> Iterator[Workers]:
    started = Workers(settings)
    yield started
    started.end()


def test_a_worker_that_is_stopped_under_load_leaves_the_rest_to_the_next(workers: Workers) -> None:
    guids = [f"d-{number}" for number in range(60)]
    workers.deliver(*guids)
    first = workers.start()
    workers.until(lambda: len(workers.starts()) > 20)
    asked_s = time.monotonic()
    assert workers.stop(first) == 0
    assert time.monotonic() - asked_s < ENDS_WITHIN_S
    workers.start()
    workers.until(lambda: workers.states() == {TaskState.DONE: 3 * len(guids)})
    assert all(set(workers.effects(guid).values()) == {1} for guid in guids), "nothing ran twice"


def test_a_worker_that_is_stopped_while_its_database_is_away_ends_well(settings: Settings) -> None:
    with server() as postgres:
        given = settings.model_copy(update={"database_url": SecretStr(postgres.new_database())})
        worker = subprocess.Popen(
            [sys.executable, "-m", "worker", "worker"],
            env=given.as_environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        assert worker.stderr is not None
        assert any("worker is ready" in line for line in worker.stderr)
        postgres.stop()
        assert any("relay cannot use a database" in line for line in worker.stderr)
        asked_s = time.monotonic()
        worker.terminate()
        _, said = worker.communicate(timeout=60)
        assert worker.returncode == 0
        assert time.monotonic() - asked_s < ENDS_WITHIN_S
        assert "lease cannot be ended" in said
