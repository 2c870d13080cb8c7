"""Sends letters at their time from a few threads, and again what was not acknowledged."""

import heapq
import itertools
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx
from traffic import Posted

from app.standin.webhooks import TIMEOUT_S, Letter, signature

THREADS = 3
AGAIN_AFTER_S = 2.0


@dataclass(slots=True)
class Post:
    """`acknowledged` holds the GUID of each letter that got a 2xx; the others wait to be sent again."""

    url: str
    secret: str
    acknowledged: set[str] = field(default_factory=set)
    answers: int = 0
    refused: int = 0
    """Sendings without an answer, and with 503: the web was down, or was killed with the letter in hand."""
    latencies_s: list[float] = field(default_factory=list)
    _due: list[tuple[float, int, Letter]] = field(default_factory=list)
    _count: Iterator[int] = field(default_factory=itertools.count)
    _change: threading.Condition = field(default_factory=threading.Condition)
    _in_hand: int = 0
    _is_open: bool = True

    def accept(self, posted: Iterable[Posted], *, now_s: float) -> None:
        with self._change:
            for one in posted:
                heapq.heappush(self._due, (now_s + one.after_s, next(self._count), one.letter))
            self._change.notify_all()

    @contextmanager
    def open(self) -> Iterator[None]:
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            with self._change:
                self._is_open = False
                self._change.notify_all()
            for thread in threads:
                thread.join()

    @property
    def is_empty(self) -> bool:
        with self._change:
            return not self._due and not self._in_hand

    @property
    def late(self) -> int:
        """Letters whose time has come."""
        now_s = time.monotonic()
        with self._change:
            return sum(due_s < now_s for due_s, _, _ in self._due)

    def _work(self) -> None:
        with httpx.Client(timeout=TIMEOUT_S) as http:
            while (letter := self._next()) is not None:
                was_taken = self._send(http, letter)
                with self._change:
                    self._in_hand -= 1
                    if not was_taken:
                        again_s = time.monotonic() + AGAIN_AFTER_S
                        heapq.heappush(self._due, (again_s, next(self._count), letter))
                    self._change.notify()

    def _next(self) -> Letter | None:
        with self._change:
            while self._is_open:
                wait_s = self._due[0][0] - time.monotonic() if self._due else None
                if wait_s is not None and wait_s <= 0:
                    self._in_hand += 1
                    return heapq.heappop(self._due)[2]
                self._change.wait(wait_s)
        return None

    def _send(self, http: httpx.Client, letter: Letter) -> bool:
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": letter.event,
            "X-GitHub-Delivery": letter.guid,
            "X-Hub-Signature-256": signature(self.secret, letter.body),
        }
        began_s = time.monotonic()
        try:
            status = http.post(self.url, content=letter.body, headers=headers).status_code
        except httpx.TransportError:
            status = httpx.codes.SERVICE_UNAVAILABLE
        with self._change:
            if status == httpx.codes.SERVICE_UNAVAILABLE:
                self.refused += 1
                return False
            assert status in {200, 202}, f"a delivery was answered {status}"
            self.latencies_s.append(time.monotonic() - began_s)
            self.acknowledged.add(letter.guid)
            self.answers += 1
        return True
