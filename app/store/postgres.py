"""PostgreSQL: how its connections are set up, and one writer of the application's tables at a time."""

from collections.abc import Callable
from typing import Any, Final

from psycopg.types.string import StrDumper
from sqlalchemy import Connection, Engine, create_engine, event

WRITER_IDLE_S: Final = 20
"""A writer that does nothing for so long is ended by the server, and its locks with it: it may be frozen."""
READER_IDLE_S: Final = 600
"""A reader holds nobody up; but while it lasts, the server cannot clear away old rows."""

SILENT_PEER_S: Final = 20
"""How long an unanswered packet may be under way before either side takes the other one for gone."""

WRITERS_LOCK: Final = 0x666C616B65  # "flake"
"""The advisory lock that a writer of the application's tables holds until its transaction ends."""

POOL: Final = 10
"""Connections kept open by one process and engine; what is needed beyond is opened and closed."""

_KEEPALIVE: Final = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 2}


def open_postgres(
    url: str, *, in_turn: bool, busy_s: float, is_reader: Callable[[Connection], bool]
) -> Engine:
    """An engine whose writers take turns (`in_turn`), as SQLite's do, and whose readers see one state.

    The store reads and then writes in one transaction, and is proven where the writer has it for itself;
    under READ COMMITTED two such transactions would each miss what the other one is about to write.
    A writer that is frozen, or whose host is gone, is ended after WRITER_IDLE_S or SILENT_PEER_S.
    `busy_s` is how long a writer waits for another one before it raises OperationalError.
    """
    engine = create_engine(
        url,
        pool_pre_ping=True,
        pool_size=POOL,
        # Threads are bounded where they are made; a pool that waits for one of them could only deadlock.
        max_overflow=-1,
        connect_args={
            "application_name": "flake-triage",
            "connect_timeout": min(10, max(2, round(busy_s))),
            "tcp_user_timeout": 1000 * SILENT_PEER_S,
            **_KEEPALIVE,
        },
    )
    settings = _session_settings(busy_s, idle_s=READER_IDLE_S if in_turn else WRITER_IDLE_S)
    asked = ", ".join(f"set_config('{name}', '{value}', false)" for name, value in settings.items())
    idle = f"set_config('idle_in_transaction_session_timeout', '{1000 * WRITER_IDLE_S}', true)"
    take_turn = f"SELECT {idle}, pg_advisory_xact_lock({WRITERS_LOCK})"

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: object) -> None:  # noqa: ANN401 - a DBAPI connection has no type
        connection.adapters.register_dumper(str, _WithoutNul)
        connection.execute(f"SELECT {asked}")
        connection.commit()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if is_reader(connection):
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        elif in_turn:
            connection.exec_driver_sql(take_turn)

    return engine


def _session_settings(busy_s: float, *, idle_s: int) -> dict[str, str]:
    """In milliseconds but for keepalives. A lock timeout of 0 would mean to wait for ever."""
    return {
        "timezone": "UTC",
        # Under a stricter one a writer would see the state from before it waited for its turn.
        "default_transaction_isolation": "read committed",
        "lock_timeout": str(max(1, round(1000 * busy_s))),
        "idle_in_transaction_session_timeout": str(1000 * idle_s),
        "tcp_user_timeout": str(1000 * SILENT_PEER_S),
        **{f"tcp_{name}": str(value) for name, value in _KEEPALIVE.items()},
    }


class _WithoutNul(StrDumper):
    """PostgreSQL's text holds no NUL; the replacement character says that something stood there."""

    def dump(self, obj: str) -> Any:  # noqa: ANN401 - the driver's buffer type
        return super().dump(obj.replace("\0", "\ufffd") if "\0" in obj else obj)
