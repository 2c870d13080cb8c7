"""Bare applications that do the least that ours could do: what an answer costs before we do anything.

Run as `python floors.py FD NAME [ARGUMENT]`: serves on a socket that listens already.
"""

import hashlib
import hmac
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request, Response
from sqlalchemy import text

from app.settings import Settings
from app.store.session import open_engine, read_only


def signed() -> FastAPI:
    """Takes a delivery whose signature is right, and keeps nothing."""
    app = _application()
    secret = Settings().webhook_secret
    assert secret is not None
    key = secret.get_secret_value().encode()

    @app.post("/webhooks/github", status_code=202)
    async def receive(request: Request) -> Response:
        body = await request.body()
        wanted = "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest()
        is_right = hmac.compare_digest(wanted, request.headers["X-Hub-Signature-256"])
        return Response(status_code=202 if is_right else 401)

    return app


def static(page: str) -> FastAPI:
    """Asks the database for a 1, and answers with a page that stands in a file."""
    app = _application()
    html = Path(page).read_text()
    store = open_engine(Settings().app_database_url)

    @app.get("/")
    def main() -> Response:
        with read_only(store) as session:
            session.execute(text("SELECT 1")).scalar_one()
        return Response(html, media_type="text/html")

    return app


def _application() -> FastAPI:
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)

    @app.get("/readyz")
    async def ready() -> dict[str, bool]:
        return {"ready": True}

    return app


FLOORS: dict[str, Callable[..., FastAPI]] = {"signed": signed, "static": static}


def main(descriptor: str, name: str, *arguments: str) -> None:
    config = uvicorn.Config(FLOORS[name](*arguments), log_config=None, access_log=False, server_header=False)
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(descriptor))])


if __name__ == "__main__":
    main(*sys.argv[1:])
