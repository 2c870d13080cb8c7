"""The dashboard's first page over HTTP, from a store with millions of results, beside a page from a file."""

import shutil
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import httpx
import past
import processes
from fixtures_postgres import binaries, server
from measured import Row, at_most, percentile

from app.settings import Settings
from worker.ingest.collection import rare_collections
from worker.upgrade import upgrade

KEPT = Path(__file__).parents[2] / ".bench"
IN_SQLITE = 2_000_000
IN_POSTGRES, IN_POSTGRES_SHORT = 10_000_000, 1_000_000
PAGES = {"/": at_most(100.0), "/tests": None}


def measure(*, long: bool) -> list[Row]:
    views = 300 if long else 100
    with tempfile.TemporaryDirectory() as name:
        rows = _in_sqlite(Path(name), views)
        if binaries() is not None:
            rows += _in_postgres(Path(name), views, IN_POSTGRES if long else IN_POSTGRES_SHORT)
    return rows


def _in_sqlite(folder: Path, views: int) -> list[Row]:
    """Written once a day: the pages show what happened in the last days."""
    kept = KEPT / f"past-{IN_SQLITE}-{_now():%Y-%m-%d}"
    settings = processes.settings_for(kept)
    if not (kept / "whole").exists():
        for old in KEPT.glob("past-*"):
            shutil.rmtree(old)
        _fill(settings, IN_SQLITE)
        (kept / "whole").touch()
    return _rows(settings, folder, f"{IN_SQLITE / 1e6:g} M results in SQLite", views)


def _in_postgres(folder: Path, views: int, count: int) -> list[Row]:
    with server(durable=True, shared_buffers="512MB") as running:
        settings = processes.settings_for(folder, database_url=running.new_database(migrated=False))
        _fill(settings, count)
        return _rows(settings, folder, f"{count / 1e6:g} M results in PostgreSQL", views)


def _fill(settings: Settings, count: int) -> None:
    upgrade(settings)
    with rare_collections():
        past.write(settings.app_database_url, count, ends_at=_now())


def _rows(settings: Settings, folder: Path, where: str, views: int) -> list[Row]:
    rows: list[Row] = []
    log, page = folder / "log", folder / "page.html"
    with processes.web(settings, log) as web:
        page.write_text(httpx.get(web.url, timeout=60).text)
        with processes.floor("static", str(page), settings=settings, log=log) as bare, httpx.Client() as http:
            for path, goal in PAGES.items():
                ours, floor = _in_turn(_view(http, web.url + path), _view(http, bare.url + "/"), views)
                note = f"{views} views; floor: SELECT 1 and a page from a file"
                p95 = percentile(ours, 0.95), percentile(floor, 0.95)
                what = f"{path} p95, {where}"
                rows.append(Row("first_page", what, p95[0], "ms", min(ours), max(ours), p95[1], goal, note))
    return rows


def _in_turn(
    ours: Callable[[], float], floor: Callable[[], float], views: int
) -> tuple[list[float], list[float]]:
    pairs = [(ours(), floor()) for _ in range(views + 5)][5:]
    return [one for one, _ in pairs], [other for _, other in pairs]


def _view(http: httpx.Client, url: str) -> Callable[[], float]:
    def milliseconds() -> float:
        start = time.perf_counter()
        http.get(url, timeout=60).raise_for_status().read()
        return 1000 * (time.perf_counter() - start)

    return milliseconds


def _now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - the pages are asked what happened until now
