"""The second host: serves artifacts and logs under addresses that live a minute, and refuses our token."""

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import count
from urllib.parse import urlencode

from app.domain.ids import ArtifactId, JobId
from app.standin.exchange import Answer
from app.standin.faults import xml_error
from app.standin.state import State

LIFETIME = timedelta(minutes=1)


class Blobs:
    """`url` is the store's origin, without a slash at the end."""

    def __init__(self, state: State, url: str) -> None:
        self._state = state
        self._url = url
        self._count = count(1)
        self._ends: dict[tuple[str, str], datetime] = {}
        self.last_headers: dict[str, str] = {}
        """Of the latest request, by lower-case name."""
        self.refused_tokens = 0
        """Requests that carried `Authorization`, which a real store answers with 400 or 403."""

    def link(self, path: str) -> str:
        """A fresh address for `path`."""
        signature = hashlib.sha256(f"{path} {next(self._count)}".encode()).hexdigest()
        self._ends[path, signature] = self._state.clock.now() + LIFETIME
        return f"{self._url}{path}?{urlencode({'sig': signature})}"

    def expire_links(self) -> None:
        """Every address given out so far is refused from now on."""
        self._ends.clear()

    def answer(self, path: str, signature: str, headers: Mapping[str, str]) -> Answer:
        self.last_headers = dict(headers)
        if "authorization" in headers:
            self.refused_tokens += 1
            return _error(403, "InvalidAuthenticationInfo")
        ends_at = self._ends.get((path, signature))
        if ends_at is None or self._state.clock.now() >= ends_at:
            return _error(403, "AuthenticationFailed")
        _, kind, number = path.split("/")
        if kind == "artifacts":
            artifact = self._state.artifacts[ArtifactId(int(number))]
            is_zip = artifact.filename.endswith(".zip")
            return Answer(
                200,
                headers={
                    "content-type": "application/zip" if is_zip else "application/octet-stream",
                    "content-disposition": f'attachment; filename="{artifact.filename}"',
                },
                raw=artifact.content,
            )
        log = self._state.jobs[JobId(int(number))].log
        if log is None:
            return _error(404, "BlobNotFound")
        return Answer(200, headers={"content-type": "text/plain; charset=utf-8"}, raw=log)


def _error(status: int, code: str) -> Answer:
    return Answer(status, headers={"content-type": "application/xml"}, raw=xml_error(code))
