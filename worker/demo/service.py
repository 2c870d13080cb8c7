"""The service as its users run it, `flake-triage serve`, as a child process of the demo."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from pydantic import SecretStr
from sqlalchemy import inspect

from app.domain.errors import Rejected, Unavailable
from app.settings import Settings
from app.store.session import open_engine
from worker import listening

SECRET = "the demo's own webhook secret"  # noqa: S105 - known only to this process and its child
START_WITHIN_S = 60.0
PORT = 8077


def settings_for(
    folder: Path, *, api_url: str, github_url: str, token: str, database: str | None = None
) -> Settings:
    """Settings that know only the stand-in and a temporary folder; nothing of the user's own is used.

    `database` is the address of an empty PostgreSQL database to use instead of SQLite's files.
    """
    return Settings(
        data_dir=folder,
        database_url=None if database is None else SecretStr(database),
        port=listening.free_port(PORT),
        public_url=None,
        webhook_secret=SecretStr(SECRET),
        github_api_url=api_url,
        github_url=github_url,
        github_token=SecretStr(token),
        github_app_id=None,
        github_app_private_key=None,
        github_app_private_key_file=None,
        repositories="",
        allow_private_downloads=True,
        poll_interval_s=0.05,
        retry_base_s=0.2,
        reconcile_s=0,  # the story is told by webhooks
        post=True,
    )


def require_empty(settings: Settings) -> None:
    """Raise Rejected where the database holds tables: the demo's story is no part of anybody's own."""
    store = open_engine(settings.app_database_url)
    try:
        tables = inspect(store).get_table_names()
    finally:
        store.dispose()
    if tables:
        told = f"it holds tables already, {tables[0]} among them; the demo wants an empty database of its own"
        raise Rejected(settings.database_shown, told)


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
