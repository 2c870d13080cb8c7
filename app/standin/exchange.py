"""A request that reached the stand-in's API, and what may be said to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar
from urllib.parse import urlencode

from app.standin.callers import Caller
from app.standin.records import Repository
from app.standin.shapes.accounts import Addresses, Json
from app.standin.state import State
from app.standin.talk import Author

DEFAULT_PER_PAGE = 30
MOST_PER_PAGE = 100

Entry = TypeVar("Entry")


class Links(Protocol):
    """Makes short-lived addresses on the blob store."""

    def link(self, path: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Answer:
    """`body` is served as JSON; None for no body at all."""

    status: int
    body: object | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes = b""


class Refusal(Exception):
    """An error answer in GitHub's own form."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        body = {"message": message, "documentation_url": "https://docs.github.com/rest"}
        self.answer = Answer(status, body, headers or {})


NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class Asked:
    """`names` are the values of the path's placeholders; `caller` is whose token came with it."""

    state: State
    at: Addresses
    links: Links
    method: str
    path: str
    names: Mapping[str, str]
    query: Mapping[str, str]
    body: Json
    caller: Caller
    accept: str = ""
    """In which form the answer is wanted."""

    @property
    def is_ours(self) -> bool:
        return self.caller.is_ours

    @property
    def repository(self) -> Repository:
        """What the caller's installation does not hold is not there for it."""
        try:
            found = self.state.repository(f"{self.names['owner']}/{self.names['repo']}")
        except KeyError:
            raise Refusal(NOT_FOUND, "Not Found") from None
        if not self.caller.sees(found.name):
            raise Refusal(NOT_FOUND, "Not Found")
        return found

    @property
    def author(self) -> Author:
        login = self.caller.login or self.state.login
        return Author(login, ours=True, method=self.method, path=self.path)

    def number(self, name: str) -> int:
        """A placeholder that must be a number."""
        text = self.names[name]
        if not text.isdigit():
            raise Refusal(NOT_FOUND, "Not Found")
        return int(text)

    def text(self, name: str, default: str | None = None) -> str:
        """A field of the body that must be text, or `default` where it is absent."""
        value = self.body.get(name, default)
        if not isinstance(value, str):
            raise Refusal(422, f"Invalid request. {name!r} wasn't supplied.")
        return value

    def page_of(self, entries: Sequence[Entry]) -> tuple[list[Entry], dict[str, str]]:
        """The page asked for, and the `Link` header that leads on from it."""
        per_page = min(int(self.query.get("per_page", DEFAULT_PER_PAGE)), MOST_PER_PAGE)
        page = int(self.query.get("page", 1))
        end = page * per_page
        headers = {}
        if end < len(entries):
            last = -(-len(entries) // per_page)
            headers["link"] = f"{self._link(page + 1, 'next')}, {self._link(last, 'last')}"
        return list(entries[end - per_page : end]), headers

    def _link(self, page: int, relation: str) -> str:
        query = urlencode({**self.query, "page": page})
        return f'<{self.at.api}{self.path}?{query}>; rel="{relation}"'
