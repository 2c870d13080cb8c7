"""How tests look at a page."""

import re
from typing import Any

from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from app.deps import Wiring


def page(client: TestClient, path: str, status: int = 200) -> LexborHTMLParser:
    answer = client.get(path, headers={"Accept": "text/html"})
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    return LexborHTMLParser(answer.text)


def words(found: Any) -> str:
    return re.sub(r"\s+", " ", found.text()).strip()


def rows(found: LexborHTMLParser) -> list[str]:
    return [words(row) for row in found.css("tbody tr")]


def wired(client: TestClient) -> Wiring:
    found = client.app.state.wiring  # type: ignore[attr-defined]  # TestClient calls it any ASGI app
    assert isinstance(found, Wiring)
    return found
