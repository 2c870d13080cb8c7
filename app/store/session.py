"""Engines for both databases, and `unit_of_work`: the only commit in the code base."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

Durability = Literal["full", "normal"]
WriteLock = Literal["at begin", "at first write"]


_READS_ONLY = "flake_triage_reads_only"


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"


def open_engine(
    url: str,
    *,
    durability: Durability = "normal",
    lock: WriteLock = "at begin",
    cache_mb: int = 64,
    busy_s: float = 30,
) -> Engine:
    """Open a database. On SQLite a writer takes its lock at BEGIN, because a read that becomes a write
    inside one transaction fails at once where another writer was faster (532 of 600 tries, measured);
    inside `read_only` nobody takes it.

    `durability="full"` survives loss of power; `normal` survives the death of any process.
    `lock="at first write"` leaves BEGIN to the driver, for code that issues statements of its own.
    `cache_mb` bounds SQLite's pages in memory for each connection, of which a thread may hold one.
    `busy_s` is how long a writer waits for another one before it raises OperationalError.
    """
    if make_url(url).get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True, pool_size=10)
    # Threads are bounded where they are made; a pool that waits for one of them could only deadlock.
    engine = create_engine(url, max_overflow=-1, connect_args={"timeout": busy_s, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: object) -> None:  # noqa: ANN401 - a DBAPI connection has no type
        connection.isolation_level = None if lock == "at begin" else "IMMEDIATE"
        cursor = connection.cursor()
        for pragma in (
            f"busy_timeout={round(1000 * busy_s)}",
            "journal_mode=WAL",
            f"synchronous={durability.upper()}",
            "foreign_keys=ON",
            f"cache_size={-1024 * cache_mb}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    if lock == "at begin":

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            reads = connection.get_execution_options().get(_READS_ONLY, False)
            connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


@contextmanager
def unit_of_work(engine: Engine) -> Iterator[Session]:
    """One transaction: everything written inside is committed together at the end, or not at all."""
    with Session(engine, expire_on_commit=False) as session, session.begin():
        yield session


@contextmanager
def read_only(engine: Engine) -> Iterator[Session]:
    """A session that reads one consistent state, waits for no writer and writes nothing."""
    with Session(engine.execution_options(**{_READS_ONLY: True}), expire_on_commit=False) as session:
        yield session
        session.rollback()
