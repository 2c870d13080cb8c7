"""Is the process alive, and do its databases answer?"""

from dataclasses import dataclass

from fastapi import APIRouter
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from app.deps import WiringDep
from app.domain.errors import Unavailable
from app.store.session import read_only

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Health:
    status: str


@router.api_route("/healthz", methods=["GET", "HEAD"])
async def alive() -> Health:
    """True while the process answers at all; asks nothing of anyone else."""
    return Health("alive")


@router.api_route("/readyz", methods=["GET", "HEAD"])
def ready(wiring: WiringDep) -> Health:
    """503 while a database is unreachable or not migrated; says which one, never where it is."""
    _ask(wiring.inbox, "inbox", "deliveries")
    _ask(wiring.store, "store", "tasks")
    return Health("ready")


def _ask(engine: Engine, name: str, table: str) -> None:
    try:
        with read_only(engine) as session:
            session.execute(text(f"SELECT 1 FROM {table} LIMIT 1"))  # noqa: S608 - both names are literals above
    except SQLAlchemyError:
        raise Unavailable(name, "does not answer, or has no tables yet", retry_after_s=5) from None
