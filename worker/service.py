"""The service as its users run it, `flake-triage serve`, as a child process of a command."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from app.domain.errors import Unavailable
from app.settings import Settings

START_WITHIN_S = 60.0


@contextmanager
def running(settings: Settings, *, log: Path, workers: int = 1) -> Iterator[subprocess.Popen[bytes]]:
    """Serve until the block ends, with so many workers. What they log goes to a file beside the databases."""
    arguments = ["serve", "--json", "--workers", str(workers), "--parent", str(os.getpid())]
    with log.open("ab") as stderr:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own arguments
            [sys.executable, "-m", "worker", *arguments],
            env=settings.as_environment(),
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            start_new_session=True,
        )
    try:
        _await_ready(settings, process, log)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_ready(settings: Settings, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_WITHIN_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Unavailable("service", f"it ended with status {process.returncode}; see {log}")
        try:
            if httpx.get(f"{settings.dashboard_url}/readyz", timeout=2).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise Unavailable("service", f"not ready after {START_WITHIN_S:.0f} s; see {log}")
