"""Something beside the tasks, in a thread of its own, that goes on whatever goes wrong in it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.domain.errors import TriageError
from worker.queue.retry import describe

AFTER_FAILURE_S = 1.0

WAIT_S = 2.0
"""How long its end is waited for. What hangs longer, in a request or for a database that is away, does so in
a daemon thread, and what it was at is begun anew by whoever comes next."""

log = structlog.get_logger(__name__)


@contextmanager
def beside(
    run_until: Callable[[threading.Event], None], *, name: str, after_failure_s: float = AFTER_FAILURE_S
) -> Iterator[None]:
    """Run it meanwhile; it is given the event that ends it. What it raises is told, and it is begun anew:
    a thread that ended would be missed by nobody.
    """
    end = threading.Event()

    def keep_on() -> None:
        while not end.is_set():
            try:
                run_until(end)
            except (SQLAlchemyError, TriageError, OSError) as error:
                log.warning("has to wait", what=name, error=describe(error))
            except Exception:
                if not end.is_set():  # what it works with may be closed under it by then
                    log.exception("failed and is begun anew", what=name)
            else:
                return
            end.wait(after_failure_s)

    thread = threading.Thread(target=keep_on, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join(WAIT_S)
