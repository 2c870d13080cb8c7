"""Engines for both databases, and `unit_of_work`: the only commit in the code base."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

Durability = Literal["full", "normal"]
WriteLock = Literal["at begin", "at first write"]

_READS_ONLY = "flake_triage_reads_only"
_WRITES_ONCE = "flake_triage_writes_once"


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"


def open_engine(
    url: str,
    *,
    durability: Durability = "normal",
    lock: WriteLock = "at begin",
    cache_mb: int = 64,
    busy_s: float = 30,
    before_write: Callable[[], None] | None = None,
) -> Engine:
    """Open a database. With `lock="at begin"` a writer has the tables for itself from its BEGIN on, because
    a read that becomes a write inside one transaction fails on SQLite where another writer was faster (532
    of 600 tries, measured), and misses the other one's writes on PostgreSQL; inside `read_only` nobody waits.

    `durability="full"` survives loss of power; `normal` survives the death of any process. PostgreSQL always
    gives the first.
    `lock="at first write"` leaves BEGIN to the driver, for code that issues statements of its own.
    `cache_mb` bounds SQLite's pages in memory for each connection, of which a thread may hold one.
    `busy_s` is how long a writer waits for another one before it raises OperationalError.
    `before_write` is called at the begin of each writing transaction, once it is the writer's turn, and again
    before its COMMIT; what it raises ends the transaction, and nothing was written. Only `one_statement` on
    SQLite has been written by the time of the second call: there the first one alone can keep it from that.
    """
    if make_url(url).get_backend_name() == "sqlite":
        engine = _open_sqlite(url, durability=durability, lock=lock, cache_mb=cache_mb, busy_s=busy_s)
    else:
        from app.store.postgres import open_postgres  # noqa: PLC0415 - its driver is 9 MB, of no use to SQLite

        engine = open_postgres(url, in_turn=lock == "at begin", busy_s=busy_s, is_reader=_only_reads)
    if before_write is not None:

        @event.listens_for(engine, "begin")
        @event.listens_for(engine, "commit")
        def check(connection: Connection) -> None:
            if not _only_reads(connection):
                before_write()

    return engine


def open_inbox(
    url: str, *, cache_mb: int = 64, busy_s: float = 30, before_write: Callable[[], None] | None = None
) -> Engine:
    """Open the deliveries, whose commits survive a loss of power. On PostgreSQL their writers, unlike those
    of the other tables, wait for nobody but another writer of the same delivery.
    """
    in_file = make_url(url).get_backend_name() == "sqlite"
    return open_engine(
        url,
        durability="full",
        lock="at begin" if in_file else "at first write",
        cache_mb=cache_mb,
        busy_s=busy_s,
        before_write=before_write,
    )


def _only_reads(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get(_READS_ONLY, False))


def _open_sqlite(
    url: str, *, durability: Durability, lock: WriteLock, cache_mb: int, busy_s: float
) -> Engine:
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
            if not connection.get_execution_options().get(_WRITES_ONCE, False):
                connection.exec_driver_sql("BEGIN" if _only_reads(connection) else "BEGIN IMMEDIATE")

    return engine


@contextmanager
def unit_of_work(engine: Engine) -> Iterator[Session]:
    """One transaction: everything written inside is committed together at the end, or not at all."""
    with Session(engine, expire_on_commit=False) as session, session.begin():
        yield session


@contextmanager
def one_statement(engine: Engine) -> Iterator[Session]:
    """For one UPDATE, INSERT or DELETE that is its own transaction; it is written when `execute` returns.

    SQLite's lock is then held within one call of the driver. In a transaction of three statements a thread
    waits for its turn between them, 5 ms for each thread that computes, and whoever wants the lock with it.
    """
    once = engine.execution_options(**{_WRITES_ONCE: True})
    with Session(once, expire_on_commit=False) as session, session.begin():
        yield session


@contextmanager
def read_only(engine: Engine) -> Iterator[Session]:
    """A session that reads one consistent state, waits for no writer and writes nothing."""
    with Session(engine.execution_options(**{_READS_ONLY: True}), expire_on_commit=False) as session:
        yield session
        session.rollback()
