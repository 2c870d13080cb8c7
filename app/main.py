"""Composition root of the web process: settings in, application out."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import structlog
from anyio import to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from app import logs, problems, webhook
from app.api import health, metrics
from app.clock import Clock, SystemClock
from app.dashboard import pages
from app.dashboard.rendering import STATIC, Pages
from app.deps import Wiring
from app.domain.errors import TriageError
from app.headers import SECURITY_HEADERS, SecurityHeaders
from app.inbox_writer import InboxWriter
from app.intake import BUSY_S, Intake
from app.own_host import LOOPBACK_NAMES, OwnHost, host_name
from app.refusals import Refusal, Refusals
from app.settings import Settings
from app.store.session import open_engine, open_inbox

log = structlog.get_logger(__name__)

NOT_FOUND = 404
STORE_CACHE_MB = 8
INBOX_CACHE_MB = 1
"""Both for each connection, of which every thread may open one. The web reads no delivery again."""
PAGE_THREADS = 4
"""Pages at work at the same time: more would not be quicker on few cores, and each thread keeps memory."""


def create_app(settings: Settings, clock: Clock | None = None) -> FastAPI:
    """Raises WrongSettings if these would leave the webhook open to strangers. Opens no database yet."""
    settings.refuse_open_door()
    logs.hide_also(settings.secrets)
    inbox = open_inbox(settings.inbox_database_url, cache_mb=INBOX_CACHE_MB, busy_s=BUSY_S)
    wired = Wiring(
        settings=settings,
        clock=clock or SystemClock(),
        store=open_engine(settings.app_database_url, cache_mb=STORE_CACHE_MB),
        inbox=inbox,
        refusals=Refusals(),
        intake=Intake(),
        writer=InboxWriter(inbox),
    )
    app = FastAPI(title="flake-triage", openapi_url=None, docs_url=None, redoc_url=None, lifespan=_lifespan)
    app.state.wiring = wired
    app.state.pages = Pages()
    app.state.metrics = metrics.MetricsPage()
    if settings.is_loopback:
        app.add_middleware(
            OwnHost, names=LOOPBACK_NAMES | {host_name(urlsplit(settings.dashboard_url).netloc)}
        )
    app.add_middleware(SecurityHeaders)
    _answer_errors(app)
    app.include_router(webhook.router)
    app.include_router(health.router)
    app.include_router(metrics.router)
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(directory=STATIC))
    return app


def create_from_environment() -> FastAPI:
    """For `uvicorn --factory`: wrong settings end the process with a sentence, not with a traceback."""
    try:
        return create_app(Settings())
    except (TriageError, ValidationError) as error:
        raise SystemExit(f"flake-triage web cannot start: {error}") from None


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    to_thread.current_default_thread_limiter().total_tokens = PAGE_THREADS
    yield
    wired: Wiring = app.state.wiring
    wired.dispose()


def _answer_errors(app: FastAPI) -> None:
    @app.exception_handler(TriageError)
    async def expected(request: Request, error: TriageError) -> Response:
        if request.url.path == webhook.PATH:
            wired: Wiring = app.state.wiring
            wired.refusals.note(Refusal(wired.clock.now(), str(error)))
        return problems.from_error(error)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        if error.status_code == NOT_FOUND and "text/html" in request.headers.get("Accept", ""):
            now = app.state.wiring.clock.now()
            return pages.absent(app.state.pages, "There is no page at this address.", now)
        response = problems.problem(error.status_code, str(error.detail))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(OperationalError)
    async def database(_request: Request, error: OperationalError) -> Response:
        """A full disk or a lock is no bug of ours, so the log has a line and no traceback."""
        log.warning("a database does not answer", reason=str(error.orig))
        return problems.problem(503, "a database of the service does not answer; its log says more")

    @app.exception_handler(RequestValidationError)
    async def parameters(_request: Request, error: RequestValidationError) -> Response:
        wrong = ", ".join(sorted({".".join(str(part) for part in one["loc"]) for one in error.errors()}))
        return problems.problem(422, f"not understood: {wrong}")

    @app.exception_handler(ClientDisconnect)
    async def gone(_request: Request, _error: ClientDisconnect) -> Response:
        return problems.problem(400, "the connection closed before the body was complete")

    @app.exception_handler(Exception)
    async def unexpected(_request: Request, _error: Exception) -> Response:
        """Answered outside all middleware, so it brings its own headers; the log has the traceback."""
        response = problems.problem(500, "the request was not carried out; the service's log says more")
        response.headers.update(SECURITY_HEADERS)
        return response
