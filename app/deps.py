"""What a route may ask for: the wiring of this process."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy import Engine

from app.clock import Clock
from app.inbox_writer import InboxWriter
from app.intake import Intake
from app.refusals import Refusals
from app.settings import Settings


@dataclass(frozen=True, slots=True)
class Wiring:
    """Made once by `create_app`; `store` is the application's database, `inbox` that of the deliveries."""

    settings: Settings
    clock: Clock
    store: Engine
    inbox: Engine
    refusals: Refusals
    intake: Intake
    writer: InboxWriter

    def dispose(self) -> None:
        self.store.dispose()
        self.inbox.dispose()


async def wiring(request: Request) -> Wiring:
    """Not a plain function, because FastAPI would send that through its thread pool on every request."""
    found = request.app.state.wiring
    assert isinstance(found, Wiring)
    return found


WiringDep = Annotated[Wiring, Depends(wiring)]
