"""One leader among the workers of a PostgreSQL database: whoever holds an advisory lock."""

from collections.abc import Callable
from typing import Final

import structlog
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from app.store.session import open_engine
from worker.queue.retry import describe

LEADERS_LOCK: Final = 0x6C6561646572  # "leader"

log = structlog.get_logger(__name__)


class Leadership:
    """Asked at least once in `silent_s` it is kept; of a leader that is frozen or gone, the server ends the
    session after that time, and another worker becomes leader. Not safe to use from several threads.
    """

    def __init__(self, url: str, *, silent_s: float, before_write: Callable[[], None]) -> None:
        self._engine = open_engine(url, lock="at first write", before_write=before_write).execution_options(
            isolation_level="AUTOCOMMIT"
        )
        self._silent_s = silent_s
        self._session: Connection | None = None
        self._leads = False

    def holds(self) -> bool:
        """Whether this worker leads now; it becomes leader if nobody is."""
        try:
            session = self._session or self._open()
            if self._leads:
                session.execute(text("SELECT 1"))  # the lock is held as long as its session lives
            else:
                wanted = text("SELECT pg_try_advisory_lock(:key)")
                self._leads = bool(session.execute(wanted, {"key": LEADERS_LOCK}).scalar_one())
                if self._leads:
                    log.info("this worker leads")
        except DBAPIError as error:
            log.warning("leader is not known", error=describe(error))
            self._drop()
        return self._leads

    def resign(self) -> None:
        """Have another worker lead from now on, if there is one."""
        self._drop()
        self._engine.dispose()

    def _open(self) -> Connection:
        session = self._session = self._engine.connect()
        timeout = text("SELECT set_config('idle_session_timeout', :milliseconds, false)")
        session.execute(timeout, {"milliseconds": str(round(1000 * self._silent_s))})
        return session

    def _drop(self) -> None:
        """Close the session for good: kept open in a pool, it would keep the lock."""
        self._leads = False
        if self._session is not None:
            self._session.invalidate()
            self._session.close()
            self._session = None
