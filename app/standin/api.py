"""The first host: finds what a request is for, checks both directions, and answers in GitHub's manner."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from email.utils import format_datetime
from typing import Protocol
from urllib.parse import parse_qsl, quote, unquote

from app.standin.apps import SUSPENDED
from app.standin.callers import NOBODY, Caller, Refused, caller
from app.standin.exchange import NOT_FOUND, Answer, Asked, Links, Refusal
from app.standin.routes import actions, apps, code, talk
from app.standin.shapes.accounts import Addresses, Json
from app.standin.state import State

Handler = Callable[[Asked], Answer]

ROUTES: dict[tuple[str, str], Handler] = {**actions.ROUTES, **apps.ROUTES, **code.ROUTES, **talk.ROUTES}
"""By method and path template; the templates are those of GitHub's own description."""


class Contract(Protocol):
    """Checks against GitHub's description; each violation is one sentence. `template` None: no such path."""

    def request_violations(
        self, method: str, path: str, template: str | None, query: Mapping[str, str], body: object | None
    ) -> list[str]: ...

    def answer_violations(self, method: str, template: str, status: int, body: object) -> list[str]: ...


def _pattern(template: str) -> re.Pattern[str]:
    """A placeholder is one segment; that of a file's path, at the end, as many as there are."""
    template = template.replace("{path}", "(?P<path>.+)")
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template))


_PATTERNS = [(method, template, _pattern(template)) for method, template in ROUTES]


class Api:
    def __init__(self, state: State, links: Links, at: Addresses, contract: Contract | None) -> None:
        self._state = state
        self._links = links
        self._at = at
        self._contract = contract
        self.violations: list[str] = []

    def answer(
        self, method: str, raw_path: str, query: str, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        moved = self._moved(method, raw_path, query)
        if moved is not None:
            return moved
        path = self._by_name(raw_path)
        template, names = _find(method, path)
        params, given = dict(parse_qsl(query, keep_blank_values=True)), _parsed(body)
        if self._contract is not None:
            self.violations += self._contract.request_violations(method, path, template, params, given)
        by = NOBODY
        try:
            by = self._caller(method, headers)
            self._require_right(by, method, template or "")
            fields: Json = given if isinstance(given, dict) else {}
            accept = headers.get("accept", "")
            asked = Asked(self._state, self._at, self._links, method, path, names, params, fields, by, accept)
            answer = ROUTES.get((method, template or ""), _no_such_path)(asked)
        except Refusal as refusal:
            answer = refusal.answer
        self._check(method, template, answer)
        return self._with_limits(_with_etag(answer, headers) if method == "GET" else answer, by)

    def _caller(self, method: str, headers: Mapping[str, str]) -> Caller:
        try:
            return caller(self._state, method, headers.get("authorization"))
        except Refused as error:
            raise Refusal(401, str(error)) from None

    def _require_right(self, by: Caller, method: str, template: str) -> None:
        if not self._state.rates.count(by.payer, now=self._state.clock.now()):
            raise Refusal(403, "API rate limit exceeded.")
        if by.is_suspended:
            raise Refusal(403, SUSPENDED)
        missing = by.missing(method, template)
        if missing is not None:
            needs = {"x-accepted-github-permissions": missing}
            raise Refusal(403, "Resource not accessible by integration", needs)

    def _with_limits(self, answer: Answer, by: Caller) -> Answer:
        """What is left of the hour and what time it is, as GitHub says with each answer."""
        rates, now = self._state.rates, self._state.clock.now()
        if answer.status == 304:  # noqa: PLR2004 - the status itself
            rates.give_back(by.payer, now=now)
        told = {"date": format_datetime(self._state.now(), usegmt=True), **rates.headers(by.payer, now=now)}
        return replace(answer, headers={**told, **answer.headers})

    def _check(self, method: str, template: str | None, answer: Answer) -> None:
        if self._contract is not None and template is not None and answer.body is not None:
            served = json.loads(json.dumps(answer.body))
            self.violations += self._contract.answer_violations(method, template, answer.status, served)

    def _moved(self, method: str, path: str, query: str) -> Answer | None:
        """The old name of a renamed repository leads to its id: 301 for reads, 307 for the others."""
        match = re.match(r"/repos/([^/]+/[^/]+)(.*)", path)
        repository_id = self._state.renamed.get(match[1].lower()) if match else None
        if match is None or repository_id is None:
            return None
        location = f"{self._at.api}/repositories/{repository_id}{match[2]}" + (f"?{query}" if query else "")
        body = {"message": "Moved Permanently", "url": location}
        return Answer(301 if method == "GET" else 307, body, {"location": location})

    def _by_name(self, path: str) -> str:
        match = re.match(r"/repositories/(\d+)(.*)", path)
        if match is None:
            return path
        wanted = int(match[1])
        names = [one.name for one in list(self._state.repositories.values()) if one.id == wanted]
        return f"/repos/{quote(names[0])}{match[2]}" if names else path


def _no_such_path(_asked: Asked) -> Answer:
    raise Refusal(NOT_FOUND, "Not Found")


def _find(method: str, path: str) -> tuple[str | None, dict[str, str]]:
    for wanted, template, pattern in _PATTERNS:
        match = pattern.fullmatch(path) if wanted == method else None
        if match is not None:
            return template, {name: unquote(value) for name, value in match.groupdict().items()}
    return None, {}


def _parsed(body: bytes) -> object | None:
    if not body:
        return None
    try:
        parsed: object = json.loads(body)
    except ValueError:
        return body.decode(errors="replace")
    return parsed


def _with_etag(answer: Answer, headers: Mapping[str, str]) -> Answer:
    """A read whose answer the client has already is 304, without a body."""
    if answer.status != 200 or answer.body is None:  # noqa: PLR2004 - the status itself
        return answer
    digest = hashlib.sha256(json.dumps(answer.body, sort_keys=True).encode()).hexdigest()
    named = {**answer.headers, "etag": f'W/"{digest}"'}
    if headers.get("if-none-match") == named["etag"]:
        return Answer(304, None, named)
    return Answer(answer.status, answer.body, named)
