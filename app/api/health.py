"""Is the process alive, and do its databases answer?"""

from dataclasses import dataclass
from datetime import datetime
from tempfile import TemporaryFile
from typing import Final

from fastapi import APIRouter
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.deps import Wiring, WiringDep
from app.domain.errors import Unavailable
from app.domain.ids import DeliveryId
from app.store import inbox
from app.store.inbox import DeliveryState, StoredDelivery
from app.store.session import open_engine, read_only, unit_of_work

router = APIRouter()

SPARE_BYTES: Final = 256 * 1024
"""What a database needs beside a delivery's own bytes."""


@dataclass(frozen=True, slots=True)
class Health:
    status: str


@router.api_route("/healthz", methods=["GET", "HEAD"])
async def alive() -> Health:
    """True while the process answers at all; asks nothing of anyone else."""
    return Health("alive")


@router.api_route("/readyz", methods=["GET", "HEAD"])
def ready(wiring: WiringDep) -> Health:
    """503 while a database is unreachable, not migrated, or takes no writes; says which one, never where."""
    _ask(wiring.inbox, "inbox", "deliveries")
    _ask(wiring.store, "store", "tasks")
    _require_room(wiring)
    return Health("ready")


def _ask(engine: Engine, name: str, table: str) -> None:
    try:
        with read_only(engine) as session:
            session.execute(text(f"SELECT 1 FROM {table} LIMIT 1"))  # noqa: S608 - both names are literals above
    except SQLAlchemyError:
        raise Unavailable(name, "does not answer, or has no tables yet", retry_after_s=5) from None


def _require_room(wiring: Wiring) -> None:
    """Once a delivery could not be stored: not ready until one of its size could be."""
    unstored_bytes = wiring.writer.unstored_bytes
    if unstored_bytes is None:
        return
    size_bytes = unstored_bytes + SPARE_BYTES
    try:
        if wiring.settings.on_postgres:
            _store_and_take_back(wiring.inbox, bytes(size_bytes), at=wiring.clock.now())
        else:
            with TemporaryFile(dir=wiring.settings.data_dir) as file:
                file.write(bytes(size_bytes))
            _take_lock(wiring.settings.inbox_database_url)
    except (OSError, SQLAlchemyError):
        raise Unavailable("inbox", "the last delivery could not be stored", retry_after_s=5) from None
    wiring.writer.unstored_bytes = None


def _store_and_take_back(engine: Engine, body: bytes, *, at: datetime) -> None:
    """Room is on the server's disk, where only it can look."""
    probe = StoredDelivery(
        DeliveryId("room"), "room", None, None, DeliveryState.IGNORED, "", received_at=at, seen=1, body=body
    )
    with Session(engine) as session:
        inbox.record_once(session, probe, {})
        session.rollback()


def _take_lock(url: str) -> None:
    """As a writer does at its beginning, but without waiting: whoever asks for readiness would wait too."""
    engine = open_engine(url, busy_s=0)
    try:
        with unit_of_work(engine) as session:
            session.execute(text("SELECT 1"))
    finally:
        engine.dispose()
