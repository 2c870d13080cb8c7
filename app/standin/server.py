"""The stand-in GitHub as a running server: an API and a blob store on two origins of loopback."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from urllib.parse import parse_qsl

from app.clock import Clock, SystemClock
from app.standin.api import Api, Contract
from app.standin.blobs import Blobs
from app.standin.exchange import Answer
from app.standin.serving import Origin, listening, serving, url_of
from app.standin.shapes.accounts import Addresses
from app.standin.state import State
from app.standin.writes import Write, duplicate_effects


class StandIn:
    """A running stand-in; `start` makes one."""

    def __init__(self, state: State, api_url: str, blob_url: str, contract: Contract | None) -> None:
        self.state = state
        self.api_url = api_url
        self.blob_url = blob_url
        self.at = Addresses(api_url)
        self.blobs = Blobs(state, blob_url)
        self.requests: list[str] = []
        """Every request that arrived, as `METHOD path`, on either origin."""
        self._api = Api(state, self.blobs, self.at, contract)

    @classmethod
    @contextmanager
    def start(cls, *, clock: Clock | None = None, openapi: Path | None = None) -> Iterator[Self]:
        """Serve until the block ends; with GitHub's description in `openapi`, check both directions by it."""
        contract = None if openapi is None else _contract(openapi)
        with listening() as api_socket, listening() as blob_socket:
            state = State(clock or SystemClock())
            standin = cls(state, url_of(api_socket), url_of(blob_socket), contract)
            api = Origin(standin._api.answer, state.faults, standin.requests)
            store = Origin(standin._from_store, state.faults, standin.requests)
            with serving((api_socket, api), (blob_socket, store)):
                yield standin

    @property
    def violations(self) -> list[str]:
        """Where a request to us, or an answer of ours, was not as GitHub describes it."""
        return list(self._api.violations)

    @property
    def writes(self) -> list[Write]:
        return list(self.state.talk.writes)

    @property
    def duplicate_effects(self) -> int:
        return duplicate_effects(self.writes)

    def _from_store(
        self, _method: str, path: str, query: str, headers: Mapping[str, str], _body: bytes
    ) -> Answer:
        signature = dict(parse_qsl(query)).get("sig", "")
        return self.blobs.answer(path, signature, headers)


def _contract(openapi: Path) -> Contract:
    from app.standin.schema import OpenApiContract  # noqa: PLC0415 - its validator is a tool of tests only

    return OpenApiContract.load(openapi)
