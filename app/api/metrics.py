"""GET /metrics for Prometheus: only for this machine, or for who shows the token."""

import hmac
import threading
from datetime import datetime, timedelta
from ipaddress import ip_address
from typing import Final

from fastapi import APIRouter, Request, Response

from app.deps import Wiring, WiringDep
from app.problems import problem
from app.settings import PREFIX, Settings
from app.store import service_state
from app.store.session import read_only

router = APIRouter()

KEPT: Final = timedelta(seconds=5)
"""A page is given out again for so long, so that many readers ask the databases as often as one does."""

MEDIA_TYPE: Final = "text/plain; version=1.0.0; charset=utf-8"

BY_A_PROXY: Final = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")
"""Whoever sends one of these asks for somebody else."""


class MetricsPage:
    """The last page, made anew by one thread at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made_at: datetime | None = None
        self._page = b""

    def read(self, wiring: Wiring) -> bytes:
        with self._lock:
            now = wiring.clock.now()
            if self._made_at is None or not self._made_at <= now < self._made_at + KEPT:
                self._page, self._made_at = _render(wiring, now), now
            return self._page


@router.get("/metrics")
def metrics(request: Request, wiring: WiringDep) -> Response:
    """Figures of the service; of what it reads, no more than the names of repositories."""
    if not _may_read(request, wiring.settings):
        refused = problem(401, f"show {PREFIX}METRICS_TOKEN as a bearer token")
        refused.headers["WWW-Authenticate"] = "Bearer"
        return refused
    page = request.app.state.metrics
    assert isinstance(page, MetricsPage)
    return Response(page.read(wiring), media_type=MEDIA_TYPE)


def _may_read(request: Request, settings: Settings) -> bool:
    scheme, _, shown = request.headers.get("Authorization", "").partition(" ")
    token = settings.metrics_token
    if token is not None and scheme.lower() == "bearer":
        return hmac.compare_digest(shown.strip().encode(), token.get_secret_value().encode())
    if token is not None or settings.public_url is not None:
        return False  # others reach us through a proxy, and all of them would seem to be here
    return _is_here(request) and not any(name in request.headers for name in BY_A_PROXY)


def _is_here(request: Request) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def _render(wiring: Wiring, now: datetime) -> bytes:
    # Brings a web server and 5 MB, which only a process that is asked for metrics needs.
    from app.api.exposition import Sizes, render  # noqa: PLC0415

    sizes: dict[str, Sizes] = {}
    with read_only(wiring.store) as session, read_only(wiring.inbox) as inbox:
        state = service_state.read(session, inbox, now=now)
        sizes["app"] = Sizes(*service_state.stored_bytes(session))
        if not wiring.settings.on_postgres:
            sizes["inbox"] = Sizes(*service_state.stored_bytes(inbox))
    if not wiring.settings.on_postgres:
        queue = wiring.settings.data_dir / "engine.db"
        sizes["engine"] = Sizes(queue.stat().st_size if queue.exists() else 0, 0)
    return render(state, sizes, now=now)
