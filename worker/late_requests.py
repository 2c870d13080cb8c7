"""HTTP connections that are closed where a request does not come in time; uvicorn waits without end."""

import asyncio
from typing import Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

LATE_S: Final = 10.0


class PromptProtocol(H11Protocol):
    """Bounds the time for a request's headers, and for the rest of a body after its request was refused.

    A body that is being read is bounded by whoever reads it.
    """

    late_s = LATE_S
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watch()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if not self._is_owed():
            self._stop_watch()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.late_s, self._close_if_owed)

    def _is_owed(self) -> bool:
        """Whether the other side has to send, while no route of ours waits for it."""
        is_refused = self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY
        return is_refused or self.conn.their_state is h11.IDLE

    def _close_if_owed(self) -> None:
        self._deadline = None
        if self._is_owed():
            self.transport.close()

    def _stop_watch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
