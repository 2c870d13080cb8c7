"""The engine's end of the socket to the supervisor. What comes from inside is bounded and never trusted."""

import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

MESSAGE_BYTES: Final = 128 << 10
_BUFFER_BYTES: Final = 512 << 10


class SupervisorChannel:
    """Hand `theirs` to the sandbox, then `give_away`. Commands to a supervisor that is gone are dropped."""

    def __init__(self) -> None:
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (self._ours, self._theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)

    @property
    def theirs(self) -> int:
        return self._theirs.fileno()

    def fileno(self) -> int:
        return self._ours.fileno()

    def give_away(self) -> None:
        self._theirs.close()

    def order(
        self,
        argv: list[str],
        env: Mapping[str, str],
        cwd: str,
        journal: str | None,
        places: Mapping[str, str] | None = None,
    ) -> None:
        """Tell what to run, and in which `places` to look for files that it left behind.

        ValueError where argv and environment are more than one message holds.
        """
        order = {"argv": argv, "env": dict(env), "cwd": cwd, "journal": journal, "places": dict(places or {})}
        told = json.dumps(order).encode()
        if len(told) > MESSAGE_BYTES:
            raise ValueError(
                f"the environment and the command line are {len(told)} bytes, over {MESSAGE_BYTES}"
            )
        with suppress(OSError):
            self._ours.send(told)

    def tell(self, command: str) -> None:
        with suppress(OSError):
            self._ours.send(json.dumps({"do": command}).encode())

    def receive(self, timeout_s: float) -> Mapping[str, object] | None:
        """The next report; an empty one when none came in time, None once the supervisor is gone."""
        self._ours.settimeout(max(0.001, timeout_s))
        try:
            told = self._ours.recv(MESSAGE_BYTES)
        except TimeoutError:
            return {}
        except OSError:
            return None
        if not told:
            return None
        try:
            report = json.loads(told)
        except ValueError:
            return {}
        return report if isinstance(report, dict) else {}

    def close(self) -> None:
        self._ours.close()
        self._theirs.close()
