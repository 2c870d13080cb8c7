"""Answers gone wrong, on demand: each is queued for a path and used up by the requests that meet it."""

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from itertools import repeat


class Break(StrEnum):
    """When the connection breaks: before anything was done, or after the effect but before the answer."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens instead of the answer; with neither a status nor a break, the answer is only late.

    `delay_s` passes before anything is done, `answer_delay_s` between the effect and the answer.
    """

    status: int | None = None
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    breaks: Break | None = None
    delay_s: float = 0
    answer_delay_s: float = 0


def answer(status: int, message: str, **headers: str) -> Fault:
    """An error in GitHub's JSON; header names are written with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps({"message": message, "documentation_url": "https://docs.github.com/rest"}).encode()
    return Fault(status, body, {"content-type": "application/json", **named})


def store_answer(status: int, code: str) -> Fault:
    """An error of the blob store: XML, as cloud storage writes it."""
    return Fault(status, xml_error(code), {"content-type": "application/xml"})


def xml_error(code: str) -> bytes:
    return f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code></Error>'.encode()


def slow(seconds: float) -> Fault:
    return Fault(delay_s=seconds)


def slow_answer(seconds: float) -> Fault:
    """The effect happens at once, and its answer comes late: who is killed meanwhile never learns of it."""
    return Fault(answer_delay_s=seconds)


def too_many_requests(retry_after_s: int) -> Fault:
    return answer(429, "Too many requests", retry_after=str(retry_after_s))


SERVER_ERROR = answer(500, "Server Error")
BAD_GATEWAY = Fault(502, b"<html><body>Unicorn!</body></html>", {"content-type": "text/html"})
BAD_CREDENTIALS = answer(401, "Bad credentials")
SECONDARY_LIMIT = answer(403, "You have exceeded a secondary rate limit. Please wait a few minutes.")
NO_PERMISSION = answer(
    403, "Resource not accessible by integration", x_accepted_github_permissions="issues=write"
)
RESET = Fault(breaks=Break.BEFORE)
LOST_ANSWER = Fault(breaks=Break.AFTER)
EXPIRED_LINK = store_answer(403, "AuthenticationFailed")
NO_BLOB = store_answer(404, "BlobNotFound")


class Faults:
    def __init__(self) -> None:
        self._queues: list[tuple[str, str, deque[Fault]]] = []

    def inject(self, path: str, *faults: Fault, method: str = "*", times: int = 1) -> None:
        """Queue `faults` for requests whose path matches the shell pattern `path`, on either origin."""
        queue = deque(fault for group in repeat(faults, times) for fault in group)
        self._queues.append((method, path, queue))

    def take(self, method: str, path: str) -> Fault | None:
        for wanted, pattern, queue in self._queues:
            if queue and wanted in {"*", method} and fnmatchcase(path, pattern):
                return queue.popleft()
        return None
