"""Answers only under the names of this machine while bound to it alone.

A page in the user's own browser can have its name resolved to 127.0.0.1 (DNS rebinding) and would then be of
"the same origin" as this service, which takes unsigned deliveries there and shows private logs. The `Host`
header is the one thing such a page cannot choose.
"""

from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from app.problems import problem

LOOPBACK_NAMES: Final = frozenset({"127.0.0.1", "localhost", "::1"})


class OwnHost:
    """ASGI middleware; `names` are in lower case and without a port."""

    def __init__(self, app: ASGIApp, names: frozenset[str]) -> None:
        self.app = app
        self.names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or host_name(Headers(scope=scope).get("host", "")) in self.names:
            await self.app(scope, receive, send)
            return
        told = "this service is bound to this machine alone; set FLAKE_TRIAGE_PUBLIC_URL to reach it by name"
        await problem(421, told)(scope, receive, send)


def host_name(host: str) -> str:
    """The name in a `Host` header, without its port; empty where it is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
