"""The service's own processes, started as `serve` starts them, and floors beside them."""

import json
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from pydantic import SecretStr

from app.settings import Settings

HERE = Path(__file__).parent
SECRET = "of the benchmark alone"
READY_WITHIN_S = 90.0


@dataclass(frozen=True, slots=True)
class Running:
    """A process that answers; `url` is empty for one that does not listen."""

    pid: int
    url: str


def settings_for(
    folder: Path, *, api_url: str = "http://127.0.0.1:9", token: str = "t", database_url: str | None = None
) -> Settings:
    """The defaults, but for where things are."""
    return Settings(
        data_dir=folder,
        database_url=None if database_url is None else SecretStr(database_url),
        public_url=None,
        webhook_secret=SecretStr(SECRET),
        github_api_url=api_url,
        github_url=api_url,
        github_token=SecretStr(token),
        repositories="",
        allow_private_downloads=True,
        reconcile_s=0,
    )


@contextmanager
def web(settings: Settings, log: Path) -> Iterator[Running]:
    with _answering(["-m", "worker.web"], [], settings, log) as running:
        yield running


@contextmanager
def floor(name: str, *arguments: str, settings: Settings, log: Path) -> Iterator[Running]:
    """One of the bare applications in `floors.py`."""
    with _answering([str(HERE / "floors.py")], [name, *arguments], settings, log) as running:
        yield running


@contextmanager
def worker(settings: Settings, log: Path) -> Iterator[Running]:
    """Returns when it takes work."""
    with log.open("ab") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "worker", "worker"],
            env=settings.as_environment(),
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
    try:
        _await(lambda: "worker is ready" in log.read_text(), process, log)
        yield Running(process.pid, "")
    finally:
        _end(process)


class GitHub:
    """A stand-in GitHub in a process of its own, so that it takes no time from who measures."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        told = self._next(within_s=READY_WITHIN_S)
        self.api_url, self.token = told["api_url"], told["token"]

    def next_comment(self, *, within_s: float) -> dict[str, Any]:
        """When the next pull request got its first comment, and what was asked of GitHub until then."""
        return self._next(within_s=within_s)

    def _next(self, *, within_s: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], within_s)[0]:
            raise RuntimeError(f"the stand-in said nothing for {within_s:.0f} s")
        told: dict[str, Any] = json.loads(self._process.stdout.readline())
        return told


@contextmanager
def github(*arguments: str) -> Iterator[GitHub]:
    process = subprocess.Popen(
        [sys.executable, str(HERE / "github_process.py"), *arguments], stdout=subprocess.PIPE, bufsize=0
    )
    try:
        yield GitHub(process)
    finally:
        _end(process)


@contextmanager
def _answering(program: list[str], arguments: list[str], settings: Settings, log: Path) -> Iterator[Running]:
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener, log.open("ab") as stderr:
        number = listener.fileno()
        process = subprocess.Popen(
            [sys.executable, *program, str(number), *arguments],
            env=settings.as_environment(),
            pass_fds=(number,),
            stdout=stderr,
            stderr=stderr,
        )
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        _await(lambda: _answers(f"{url}/readyz"), process, log)
        yield Running(process.pid, url)
    finally:
        _end(process)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def _await(is_ready: object, process: "subprocess.Popen[bytes]", log: Path) -> None:
    assert callable(is_ready)
    deadline_s = time.monotonic() + READY_WITHIN_S
    while not is_ready():
        if process.poll() is not None or time.monotonic() > deadline_s:
            raise RuntimeError(log.read_text()[-4000:])
        time.sleep(0.05)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
