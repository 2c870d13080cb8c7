"""A PostgreSQL server of the tests' own: started where its binaries are, and said to be absent where not.

`server()` is for scripts and for tests of whole processes; fixtures give a database that is migrated, a
copy of one that was migrated once. The server ends with the process that started it, however that ends.
"""

import ctypes
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import psycopg
import pytest

from app.store import migrate

UNDURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
"""For tests that lose no power: what the operating system was given survives any death of the server."""

START_WITHIN_S = 30
PR_SET_PDEATHSIG = 1  # linux/prctl.h
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
ABSENT = "PostgreSQL's initdb and postgres are neither on PATH nor where pg_config or Debian keep them"

_WRITTEN = (
    "SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace "
    "AND relname NOT LIKE 'alembic%' AND pg_relation_size(oid) > 0"
)
_SHAPE = (
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace "
    "UNION ALL SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg%' "
    "UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1"
)


@cache
def binaries() -> Path | None:
    """The folder of initdb, postgres, pg_dump and the others."""
    folders = [Path(found).resolve().parent for found in [shutil.which("postgres")] if found]
    asked = shutil.which("pg_config")
    if asked:
        told = subprocess.run([asked, "--bindir"], capture_output=True, text=True, check=False).stdout
        folders.append(Path(told.strip()))
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)  # Debian's, off PATH
    complete = (one for one in folders if (one / "initdb").exists() and (one / "postgres").exists())
    return next(complete, None)


@dataclass
class Server:
    """Reached through a socket in its own folder, so ports cannot collide."""

    folder: Path
    programs: Path
    options: dict[str, str]
    process: "subprocess.Popen[bytes] | None" = None
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    shape: list[tuple[str]] = field(default_factory=list)
    """Of a migrated database: the names of all that is in it."""
    cleared: list[str] = field(default_factory=list)

    def url(self, name: str = "postgres") -> str:
        """As an operator would write it into FLAKE_TRIAGE_DATABASE_URL."""
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def new_database(self, *, migrated: bool = True) -> str:
        """Make a database and return its address; an empty one unless `migrated`."""
        name = f"test_{next(self.numbers)}"
        if migrated and not self.shape:
            self._run("CREATE DATABASE migrated")
            migrate.upgrade(*2 * [driven(self.url("migrated"))])
            with psycopg.connect(self.url("migrated")) as connection:
                self.shape = connection.execute(_SHAPE).fetchall()
        self._run(f"CREATE DATABASE {name} TEMPLATE {'migrated' if migrated else 'template0'}")
        return self.url(name)

    def copy_of(self, url: str) -> str:
        """A database with the same rows; nobody may be connected to the first one meanwhile."""
        name = f"test_{next(self.numbers)}"
        self._run(f"CREATE DATABASE {name} TEMPLATE {_name(url)}")
        return self.url(name)

    def writes(self) -> str:
        """A mark that moves with each transaction that writes, in any database of the server."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            found = connection.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text").fetchone()
        assert found is not None
        return str(found[0])

    def borrow(self) -> str:
        """A migrated database without a row, to be given back: emptying one is quicker than making one."""
        return self.cleared.pop() if self.cleared else self.new_database()

    def give_back(self, url: str) -> None:
        """Empty it again; one in which tables were made or changed is dropped."""
        with psycopg.connect(url, autocommit=True) as connection:
            if connection.execute(_SHAPE).fetchall() != self.shape:
                self.drop(url)
                return
            written = [name for (name,) in connection.execute(_WRITTEN)]
            if written:
                connection.execute(f"TRUNCATE {', '.join(written)} RESTART IDENTITY CASCADE".encode())
        self.cleared.append(url)

    def drop(self, url: str) -> None:
        """Remove a database, ending whoever is connected."""
        self._run(f"DROP DATABASE {_name(url)} WITH (FORCE)")

    def start(self) -> None:
        settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder), **self.options}
        chosen = [f"--{name}={value}" for name, value in settings.items()]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.folder / "data", *chosen],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - between fork and exec it makes one system call
                process_group=0,
                **_another_user(),
            )
        deadline = time.monotonic() + START_WITHIN_S
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self.folder / "server.log").read_text())
            time.sleep(0.02)

    def stop(self, *, how: Literal["fast", "immediate"] = "fast") -> None:
        """End it: `fast` ends every session and writes all down; `immediate` leaves that to the start."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT if how == "fast" else signal.SIGQUIT)
            self.process.wait(timeout=60)
            self.process = None

    def restart(self, *, how: Literal["fast", "immediate"] = "fast", away_s: float = 0) -> None:
        """Stop, stay away and start again on the same data; returns when it answers."""
        self.stop(how=how)
        time.sleep(away_s)
        self.start()

    def _answers(self) -> bool:
        try:
            self._run("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, statement: str) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(statement.encode())


def driven(url: str) -> str:
    """The same address as SQLAlchemy and the settings' properties spell it."""
    return url.replace("postgresql://", "postgresql+psycopg://", 1)


def _name(url: str) -> str:
    return url.partition("@/")[2].partition("?")[0]


@contextmanager
def server(*, durable: bool = False, **options: str) -> Iterator[Server]:
    """A fresh server; `options` are its settings. Skips, with the reason, where there are no binaries."""
    programs = binaries()
    if programs is None:
        pytest.skip(ABSENT)
    # Not under pytest's own folder: another user has to enter it, and a socket's path is at most 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="ft-pg-"))
    made = Server(folder, programs, {**({} if durable else UNDURABLE), "max_connections": "200", **options})
    try:
        if os.geteuid() == 0:
            owner = pwd.getpwnam("nobody")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        initdb = [programs / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "--no-sync"]
        subprocess.run(
            [*initdb, "-E", "UTF8", "--locale=C.UTF-8"],
            check=True,
            capture_output=True,
            cwd=folder,
            **_another_user(),
        )
        made.start()
        yield made
    finally:
        made.stop(how="immediate")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with server() as started:
        yield started


@pytest.fixture
def postgres_url(postgres: Server) -> Iterator[str]:
    """A migrated database for one test."""
    url = postgres.borrow()
    yield url
    postgres.give_back(url)


@pytest.fixture
def database_url(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str | None:
    """None: SQLite. For the modules that run on both, PostgreSQL's address is also what `Settings` read."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return None
    url: str = request.getfixturevalue("postgres_url")
    monkeypatch.setenv("FLAKE_TRIAGE_DATABASE_URL", url)
    return url


def _another_user() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    owner = pwd.getpwnam("nobody")
    return {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}


def _die_with_parent() -> None:
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)
