"""PostgreSQL's own programs, which copy the whole database as of one moment."""

import os
import shutil
import subprocess
from pathlib import Path

from sqlalchemy import inspect
from sqlalchemy.engine import URL, make_url

from app.domain.errors import Gone, Rejected
from app.logs import redact
from app.settings import PREFIX, Settings
from app.store.session import open_engine
from worker.backup.durable import create_private

NAME = "flake-triage.dump"


def dump(settings: Settings, folder: Path) -> list[str]:
    """Raises Gone where pg_dump is not there, Rejected where it fails."""
    target = folder / NAME
    os.close(create_private(target))
    command = ["pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={target}"]
    _run(command, settings, part=target)
    return [NAME]


def load(folder: Path, settings: Settings) -> None:
    """Into an empty database, all or nothing."""
    engine = open_engine(settings.app_database_url)
    try:
        tables = inspect(engine).get_table_names()
    finally:
        engine.dispose()
    if tables:
        raise Rejected("restore", f"the database holds {len(tables)} tables already; name an empty one")
    file = str(folder / NAME)
    _run(["pg_restore", "--no-owner", "--no-privileges", "--single-transaction", file], settings)


def _run(command: list[str], settings: Settings, *, part: Path | None = None) -> None:
    """The password goes by the environment, since every user of the machine can read a command line.

    `part` is a file of the command that is nobody else's business.
    """
    program = shutil.which(command[0])
    address, password = _apart(make_url(settings.app_database_url))
    ours = {name: value for name, value in settings.as_environment().items() if not name.startswith(PREFIX)}
    if program is None:
        told = " ".join([*command, "--dbname=ADDRESS"])
        if part is not None:
            told = told.replace(str(part), NAME)
        raise Gone(command[0], f"it is not on PATH; install PostgreSQL's client, or run elsewhere: {told}")
    done = subprocess.run(  # noqa: S603 - our own words and the operator's address
        [program, *command[1:], f"--dbname={address}"],
        env=ours | ({"PGPASSWORD": password} if password else {}),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Rejected(command[0], redact(" ".join(done.stderr.split()))[:1000])


def _apart(url: URL) -> tuple[str, str | None]:
    """The address as libpq reads it without the password, and the password."""
    stated = url.query.get("password")
    password = url.password or (stated if isinstance(stated, str) else None)
    bare = URL.create(
        "postgresql",
        username=url.username,
        host=url.host,
        port=url.port,
        database=url.database,
        query={name: value for name, value in url.query.items() if name != "password"},
    )
    return bare.render_as_string(hide_password=False), password
