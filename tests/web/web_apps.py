"""The web application as the tests build it: with its tables, and a clock of theirs."""

from datetime import datetime, timedelta

import web_story
from fastapi import FastAPI

from app.deps import Wiring
from app.main import create_app
from app.settings import Settings
from app.store.base import Base, InboxBase


class SteppingClock:
    """Each reading is a second after the one before."""

    def __init__(self, start: datetime) -> None:
        self.moment = start

    def now(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment


def build(settings: Settings) -> FastAPI:
    """An application whose tables exist."""
    app = create_app(settings, SteppingClock(web_story.NOW))
    wired: Wiring = app.state.wiring
    Base.metadata.create_all(wired.store)
    InboxBase.metadata.create_all(wired.inbox)
    return app


def dispose(app: FastAPI) -> None:
    app.state.wiring.dispose()
