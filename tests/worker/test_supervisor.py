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
from worker.supervisor import LONGEST_PAUSE_S, Child, Supervisor


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
            if arguments[1:2] == [b"-m"]:
                found["web" if arguments[2] == b"worker.web" else "worker"] = int(pid)
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
    assert "name another one in FLAKE_TRIAGE_PORT" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_child_that_keeps_ending_is_started_again_after_ever_longer_pauses() -> None:
    child, pauses = Child("web", [sys.executable, "-c", "raise SystemExit(1)"]), []
    for _ in range(3):
        child.start_again_s = 0.0
        child.look()
        assert child.process is not None
        child.process.wait(timeout=30)
        child.look()
        pauses.append(round(child.start_again_s - time.monotonic(), 1))
    assert pauses == [0.5, 1.0, 2.0]
    child.failures = 100
    child.start_again_s = 0.0
    child.look()
    assert child.process is not None
    child.process.wait(timeout=30)
    child.look()
    assert child.start_again_s - time.monotonic() <= LONGEST_PAUSE_S
    child.look()
    assert child.process is None


def test_child_that_cannot_run_with_its_settings_is_not_started_again() -> None:
    child = Child("web", [sys.executable, "-c", "raise SystemExit(2)"])
    child.look()
    assert child.process is not None
    child.process.wait(timeout=30)
    child.look()
    assert child.refused


def test_web_that_is_handed_wrong_settings_says_so_and_ends_with_code_2() -> None:
    environment = {**os.environ, "FLAKE_TRIAGE_PORT": "high"}  # noqa: TID251 - as above
    ended = subprocess.run(
        [sys.executable, "-m", "worker.web", "0"],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (
        2,
        "flake-triage: FLAKE_TRIAGE_PORT: must be a whole number\n",
    )


def test_refused_child_ends_the_service(settings: Settings) -> None:
    """The worker reads its own environment: there a setting is wrong that the supervisor was given right."""
    given = settings.model_copy(update={"port": 0, "worker_threads": 1000})
    assert Supervisor(given, as_json=True).run() == 2


def test_child_that_ignores_the_request_to_stop_is_killed() -> None:
    reading, writing = os.pipe()
    stubborn = (
        "import os, signal\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"os.write({writing}, b'1')\n"
        "while True: signal.pause()"
    )
    child = Child("worker", [sys.executable, "-c", stubborn], inherits=(writing,))
    child.look()
    assert os.read(reading, 1) == b"1"
    assert child.process is not None
    child.ask_to_stop()
    child.end(grace_s=0.2)
    assert child.process.returncode == -signal.SIGKILL
    os.close(reading)
    os.close(writing)


def test_child_that_was_never_started_needs_no_end() -> None:
    child = Child("worker", [sys.executable, "-c", ""])
    child.ask_to_stop()
    child.end(grace_s=0)
    assert child.process is None


def test_people_are_told_where_to_look(settings: Settings) -> None:
    environment = {
        **os.environ,  # noqa: TID251 - as above
        "FLAKE_TRIAGE_DATA_DIR": str(settings.data_dir),
        "FLAKE_TRIAGE_PORT": "0",
        "FLAKE_TRIAGE_HOST": "::1",
        "FLAKE_TRIAGE_PUBLIC_URL": "https://triage.example/",
    }
    with subprocess.Popen(
        [sys.executable, "-m", "worker", "serve"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as serving:
        assert serving.stdout is not None
        said = [serving.stdout.readline() for _ in range(3)]
        serving.send_signal(signal.SIGINT)
        assert serving.wait(timeout=40) == 0
    assert said == [
        "Dashboard: https://triage.example/\n",
        "Webhook:   https://triage.example/webhooks/github\n",
        f"Data:      {settings.data_dir}\n",
    ]
