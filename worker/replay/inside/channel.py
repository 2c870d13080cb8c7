"""The supervisor's end of the socket to the engine: one JSON object a message, ended when either dies."""

from __future__ import annotations

import json
import socket
from contextlib import suppress

MESSAGE_BYTES = 128 << 10


class Channel:
    def __init__(self, descriptor: int) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._socket.set_inheritable(False)

    def fileno(self) -> int:
        return self._socket.fileno()

    def receive(self) -> dict[str, object] | None:
        """The next message; None once the engine is gone."""
        try:
            told = self._socket.recv(MESSAGE_BYTES)
            message = json.loads(told) if told else None
        except (OSError, ValueError):
            return None
        return message if isinstance(message, dict) else None

    def say(self, said: str, **facts: object) -> None:
        """Never raises: an engine that is gone is noticed by `receive`."""
        with suppress(OSError):
            self._socket.send(json.dumps({"said": said, **facts}).encode())
