"""Names every moment of a process at which a kill could part two effects, and ends the process at one.

Nothing is placed by hand: SQLAlchemy and httpx say when a transaction that wrote something is committed, and
when a request is answered. So a write that is added to the product is a moment by itself.

A moment is called after who acts (the stage of the task, and the module of ours nearest to the effect), what
it writes or asks, and whether that is still to come: `judge_failures, by judge_failures: writes outbox,
verdicts | before`.
"""

import os
import re
import signal
import sys
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

import httpx
import structlog
from sqlalchemy import Connection, Engine, event
from sqlalchemy.pool import Pool

LOG, ORDER, DONE = "moments", "strike", "struck"
"""Files in the folder of a watched process: every moment, the one that ends it, and that it did."""

_WRITES = re.compile(
    r"\s*(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE|DELETE\s+FROM|"
    r"(?:CREATE|ALTER|DROP)\s+TABLE(?:\s+IF(?:\s+NOT)?\s+EXISTS)?)\s+([\w.\"]+)",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"/(?:\d+|[0-9a-f]{40}(?:\.\.\.[0-9a-f]{40})?)(?=/|$)")
_FOR_OTHERS = (
    "app.store",
    "app.github",
    "app.domain",
    "app.logs",
    "app.clock",
    "worker.queue.engine",
    "worker.main",
)
"""Through these everybody writes and asks; what comes of them alone belongs to the start of the process."""


class Watch:
    """Keeps the log of moments in `folder`, and kills its own process at the one ordered there."""

    def __init__(self, folder: Path) -> None:
        self._log = os.open(folder / LOG, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
        self._order, self._done = folder / ORDER, folder / DONE

    def begin(self) -> None:
        """Look at every engine and every HTTP client of this process, whoever makes them."""
        event.listen(Engine, "before_cursor_execute", self._executes)
        event.listen(Engine, "commit", self._commits)
        event.listen(Engine, "rollback", lambda connection: connection.info.pop("written", None))
        event.listen(Pool, "checkin", self._committed)
        send = httpx.HTTPTransport.handle_request

        @wraps(send)
        def handle_request(transport: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
            asked = f"{_who()}: {request.method} {_VARIABLE.sub('/*', request.url.path)}"
            if request.method != "GET":
                self._passes(f"{asked} | before")
            response = send(transport, request)
            self._passes(f"{asked} | done, its answer not read")
            return response

        httpx.HTTPTransport.handle_request = handle_request  # type: ignore[method-assign]

    def _executes(self, connection: Connection, _cursor: Any, statement: str, *_more: Any) -> None:
        written = _WRITES.match(statement)
        if written is not None:
            connection.info.setdefault("written", set()).add(written[1].replace('"', "").split(".")[-1])

    def _commits(self, connection: Connection) -> None:
        written = connection.info.pop("written", None)
        if written:
            name = f"{_who()}: writes {', '.join(sorted(written))}"
            self._passes(f"{name} | before")
            connection.info["committed"] = name

    def _committed(self, _connection: Any, record: Any) -> None:
        name = record.info.pop("committed", None)
        if name is not None:
            self._passes(f"{name} | after")

    def _passes(self, moment: str) -> None:
        os.write(self._log, f"{moment}\n".encode())
        with suppress(FileNotFoundError):
            if self._order.read_text() == moment:
                self._order.rename(self._done)  # only one thread can; a restarted process finds no order
                os.kill(os.getpid(), signal.SIGKILL)


def _who() -> str:
    bound = structlog.contextvars.get_contextvars()
    task = str(bound.get("task", "")).split(":")[0]
    of = bound.get("stage") or (f"next {task}" if task else "")
    by = _module()
    return f"{of}, by {by}" if of else by


def _module() -> str:
    """The module of ours nearest to the effect. The engine's own threads have none: they never pass by us."""
    frame, nearest = sys._getframe(1), "engine"
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        if name.startswith(("app.", "worker.")):
            if not name.startswith(_FOR_OTHERS):
                return name.rpartition(".")[2]
            nearest = "start"
        frame = frame.f_back  # type: ignore[assignment]
    return nearest
