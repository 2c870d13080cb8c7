"""`serve` as people run it: two processes that come back, and go together."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from app.settings import Settings


class Served:
    def __init__(self, settings: Settings, log: Path) -> None:
        self.log = log
        environment = {
            **os.environ,  # noqa: TID251 - the child needs PATH and the coverage settings
            "FLAKE_TRIAGE_DATA_DIR": str(settings.data_dir),
            "FLAKE_TRIAGE_PORT": "0",
            "FLAKE_TRIAGE_STOP_TIMEOUT_S": "5",
        }
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "worker", "serve", "--json"],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, log.read_text()
        self.said = json.loads(line)

    def children(self) -> dict[str, int]:
        """Pids by name; a child that has died is not among them."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        found = {}
        for pid in listed:
            arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if b"worker" in arguments[:3] and len(arguments) > 4:
                found[arguments[3].decode()] = int(pid)
        return found

    def is_alive(self) -> bool:
        try:
            return httpx.get(f"{self.said['url']}/healthz", timeout=30).is_success
        except httpx.TransportError:
            return False

    def until(self, holds: Callable[[], bool], *, within_s: float = 40) -> None:
        deadline_s, pause = time.monotonic() + within_s, threading.Event()
        while not holds():
            assert time.monotonic() < deadline_s, self.log.read_text()
            pause.wait(0.05)

    def workers_ready(self) -> int:
        return self.log.read_text().count("worker is ready")


@pytest.fixture
def served(settings: Settings, tmp_path: Path) -> Iterator[Served]:
    serving = Served(settings, tmp_path / "log")
    yield serving
    children = serving.children() if serving.process.poll() is None else {}
    for pid in (serving.process.pid, *children.values()):
        if serving.process.poll() is None:
            os.kill(pid, signal.SIGKILL)
    serving.process.communicate(timeout=30)


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_address_is_said_and_answers_and_a_request_to_stop_ends_all(served: Served) -> None:
    assert served.said["webhook"] == f"{served.said['url']}/webhooks/github"
    assert served.is_alive()
    served.until(lambda: served.workers_ready() == 1)
    pids = served.children()
    assert sorted(pids) == ["web", "worker"]
    served.process.terminate()
    assert served.process.wait(timeout=30) == 0
    assert all(has_ended(pid) for pid in pids.values())


def test_request_made_while_the_web_is_dead_waits_for_the_next_one(served: Served) -> None:
    assert served.is_alive()
    os.kill(served.children()["web"], signal.SIGKILL)
    assert served.is_alive()


def test_killed_worker_is_started_again(served: Served) -> None:
    served.until(lambda: served.workers_ready() == 1)
    former = served.children()["worker"]
    os.kill(former, signal.SIGKILL)
    served.until(lambda: served.workers_ready() == 2)
    assert served.children()["worker"] != former


def test_children_do_not_outlive_a_killed_supervisor(served: Served) -> None:
    served.until(lambda: served.workers_ready() == 1)
    pids = served.children()
    served.process.kill()
    served.until(lambda: all(has_ended(pid) for pid in pids.values()))
    assert not served.is_alive()


def test_port_that_is_taken_is_a_sentence_and_no_traceback(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        environment = {
            **os.environ,  # noqa: TID251 - as above
            "FLAKE_TRIAGE_DATA_DIR": str(settings.data_dir),
            "FLAKE_TRIAGE_PORT": str(taken.getsockname()[1]),
        }
        ended = subprocess.run(
            [sys.executable, "-m", "worker", "serve"],
            env=environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert ended.returncode == 3
    assert "Address already in use" in ended.stderr
    assert "Traceback" not in ended.stderr
