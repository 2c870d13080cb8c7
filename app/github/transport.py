"""One request to the API and its answer: headers, redirects of renamed repositories, retries of reads."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TypeVar

import httpx
from pydantic import BaseModel, JsonValue, ValidationError

from app.clock import Clock
from app.domain.errors import CredentialsRefused, Rejected, Unavailable
from app.domain.ids import RepoName
from app.github.credentials import Credentials, Identity
from app.github.lanes import Lane, Lanes
from app.github.limits import RateBudget
from app.github.status import error_for

API_VERSION = "2022-11-28"
"""Known to GitHub Enterprise Server too; we read no field that 2026-03-10 drops."""

USER_AGENT = "flake-triage"

READ_TRIES = 3
"""A read whose connection breaks is repeated twice at once; longer waits belong to the task queue."""

MAX_HOPS = 3

JSON = "application/vnd.github+json"
RAW = "application/vnd.github.raw+json"
"""A file's own bytes, whatever its size up to 100 MB."""

ANSWER_LIMIT_BYTES = 32 * 1024 * 1024
"""The largest answers are comparisons with 300 patches, a few MB."""

UNREADABLE_ADDRESS = "the answer points to an unreadable address"

MOVED = frozenset(
    {HTTPStatus.MOVED_PERMANENTLY, HTTPStatus.TEMPORARY_REDIRECT, HTTPStatus.PERMANENT_REDIRECT}
)

Params = Mapping[str, str | int]
Payload = TypeVar("Payload", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Request:
    """What to ask: `subject` names it in errors, `repo` chooses the credentials."""

    subject: str
    repo: RepoName | None
    path: str
    method: str = "GET"
    params: Params | None = None
    body: Mapping[str, JsonValue] | None = None
    etag: str | None = None
    """Of the answer we have: GitHub then says 304 and nothing else where it would be the same again."""
    accept: str = JSON


@dataclass(frozen=True, slots=True)
class Answer:
    subject: str
    status: int
    headers: httpx.Headers
    body: bytes

    @property
    def is_modified(self) -> bool:
        return self.status != HTTPStatus.NOT_MODIFIED

    @property
    def said_at(self) -> datetime | None:
        """The other side's clock."""
        try:
            said = parsedate_to_datetime(self.headers.get("date", ""))
        except ValueError:
            return None
        return said.astimezone(UTC) if said.tzinfo else None

    def as_(self, model: type[Payload]) -> Payload:
        """Raises Rejected where the body is not what the API promises."""
        try:
            return model.model_validate_json(self.body)
        except ValidationError as error:
            raise self.not_understood(error) from None

    def not_understood(self, error: ValidationError) -> Rejected:
        """Name the fields that were wrong, never their values: those are untrusted and can be large."""
        where = sorted({".".join(str(part) for part in issue["loc"]) or "body" for issue in error.errors()})
        return Rejected(self.subject, f"answer not understood at {', '.join(where[:5])}")


def unchecked() -> None:
    """Nobody else could hold our place."""


class Transport:
    """Raises an error of our families for every answer but 2xx and, where allowed, 302.

    `before_write` is called right before anything but a GET is sent, and may raise to prevent it.
    """

    def __init__(
        self,
        http: httpx.Client,
        credentials: Credentials,
        *,
        api_url: str,
        clock: Clock,
        before_write: Callable[[], None] = unchecked,
    ) -> None:
        self.http = http
        self.clock = clock
        self._credentials = credentials
        self._api = httpx.URL(api_url.rstrip("/"))
        self._before_write = before_write
        self._lanes = Lanes(clock)

    @property
    def identity(self) -> Identity:
        return self._credentials.identity

    def budget(self, repo: RepoName | None = None) -> RateBudget | None:
        """As last seen of whoever pays for `repo`; without one, of the payer with the smallest share left."""
        return (
            self._lanes.scarcest() if repo is None else self._lanes.of(self._credentials.payer(repo)).budget
        )

    def ask(self, request: Request, *, allow_found: bool = False) -> Answer:
        """Send, following a renamed repository on the same host; `allow_found` lets a 302 through."""
        url = self._api.copy_with(raw_path=self._api.raw_path.rstrip(b"/") + request.path.encode("ascii"))
        return self._ask_at(url, request, request.params, allow_found=allow_found)

    def ask_next(self, request: Request, link: str) -> Answer:
        """Fetch a further page of `request`, whose address GitHub named in full."""
        return self._ask_at(self._on_our_host(link, request.subject), request, None)

    def _ask_at(
        self, url: httpx.URL, request: Request, params: Params | None, *, allow_found: bool = False
    ) -> Answer:
        for _ in range(MAX_HOPS):
            answer = self._authorized(request, url, params)
            if answer.status not in MOVED:
                if answer.status == HTTPStatus.NOT_MODIFIED and request.etag is not None:
                    return answer
                return self._accept(request, answer, allow_found=allow_found)
            if answer.status == HTTPStatus.MOVED_PERMANENTLY and request.method != "GET":
                break
            url, params = self._on_our_host(answer.headers.get("location", ""), request.subject), None
        raise Rejected(request.subject, "redirected in a way that is not followed")

    def _accept(self, request: Request, answer: Answer, *, allow_found: bool) -> Answer:
        if HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
            return answer
        if allow_found and answer.status == HTTPStatus.FOUND:
            return answer
        error = error_for(answer.subject, answer.status, answer.headers, answer.body, now=self.clock.now())
        if isinstance(error, CredentialsRefused) and self.identity is Identity.NOBODY:
            raise Rejected(error.subject, error.reason)  # without a token, no is no
        if isinstance(error, Rejected) and answer.status == HTTPStatus.FORBIDDEN:
            missing = self._credentials.lacking(request.repo)
            if missing:  # nothing of the task's own, and mended once the permission is accepted
                told = f"{error.reason}; the App's installation lacks {', '.join(missing)}"
                raise CredentialsRefused(error.subject, told)
        raise error

    def _on_our_host(self, address: str, subject: str) -> httpx.URL:
        """Our credentials go to one origin only, whatever an answer says."""
        try:
            url = self._api.join(address)
            origin = (url.scheme, url.host, url.port)
        except (httpx.InvalidURL, UnicodeError):
            raise Rejected(subject, UNREADABLE_ADDRESS) from None
        if origin != (self._api.scheme, self._api.host, self._api.port):
            raise Rejected(subject, "the answer points to another host")
        return url

    def _authorized(self, request: Request, url: httpx.URL, params: Params | None) -> Answer:
        """Once more with other credentials where GitHub refuses what we have: it has then done nothing."""
        given = self._credentials.authorization(request.repo)
        answer = self._in_lane(request, url, params, given)
        is_refused = answer.status == HTTPStatus.UNAUTHORIZED and given is not None
        if is_refused and self._credentials.renew(request.repo, given or "", said_at=answer.said_at):
            return self._in_lane(request, url, params, self._credentials.authorization(request.repo))
        return answer

    def _in_lane(
        self, request: Request, url: httpx.URL, params: Params | None, authorization: str | None
    ) -> Answer:
        lane = self._lanes.of(self._credentials.payer(request.repo))
        lane.require_open(request.subject)
        creates = request.method != "GET" and request.repo is not None
        with lane.writing(request.subject) if creates else nullcontext():
            answer = self._exchange(request, url, params, authorization)
            self._note(lane, answer)
            return answer

    def _note(self, lane: Lane, answer: Answer) -> None:
        lane.note(answer.headers)
        if answer.status in {HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}:
            error = error_for(
                answer.subject, answer.status, answer.headers, answer.body, now=self.clock.now()
            )
            if isinstance(error, Unavailable) and error.retry_after_s is not None:
                lane.close(error.retry_after_s)

    def _exchange(
        self, request: Request, url: httpx.URL, params: Params | None, authorization: str | None
    ) -> Answer:
        """A write is sent once only: a broken connection does not tell whether it was done."""
        is_write = request.method != "GET"
        for tries_left in range((1 if is_write else READ_TRIES) - 1, -1, -1):
            if is_write:
                self._before_write()
            try:
                return self._send(request, url, params, authorization)
            except httpx.RequestError as error:
                if not tries_left:
                    reason = f"no answer from {url.host} ({type(error).__name__})"
                    raise Unavailable(request.subject, reason) from None
            except UnicodeError:  # httpx reads where a redirect leads, though it does not go there
                raise Rejected(request.subject, UNREADABLE_ADDRESS) from None
        raise AssertionError("every try returns or raises")

    def _send(
        self, request: Request, url: httpx.URL, params: Params | None, authorization: str | None
    ) -> Answer:
        headers = {
            "Accept": request.accept,
            "X-GitHub-Api-Version": API_VERSION,
            "User-Agent": USER_AGENT,
        }
        if authorization is not None:
            headers["Authorization"] = authorization
        if request.etag is not None:
            headers["If-None-Match"] = request.etag
        with self.http.stream(
            request.method,
            url,
            params=params,
            json=request.body,
            headers=headers,
            auth=None,
            follow_redirects=False,
        ) as response:
            return Answer(
                request.subject, response.status_code, response.headers, _read(response, request.subject)
            )


def _read(response: httpx.Response, subject: str) -> bytes:
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > ANSWER_LIMIT_BYTES:
            raise Rejected(subject, f"the answer is larger than {ANSWER_LIMIT_BYTES} bytes")
    return bytes(body)
