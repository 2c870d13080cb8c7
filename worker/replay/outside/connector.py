"""The kernel's own account of every fork, exec and exit: netlink's proc connector.

Only root of the initial namespaces hears it. Layout: linux/netlink.h, linux/connector.h, linux/cn_proc.h.
Its time is the machine's monotonic clock, the one that the journals have.
"""

import os
import socket
import struct
from contextlib import suppress
from typing import Final, NamedTuple

_NETLINK_CONNECTOR: Final = 11
_PROC_IDX = _PROC_VAL = 1
_LISTEN, _IGNORE = 1, 2
_INITIAL: Final = {"pid": "pid:[4026531836]", "user": "user:[4026531837]"}
"""The numbers of the first namespaces, fixed in the kernel (linux/proc_ns.h)."""
_DONE: Final = 3
_RECEIVE_BUFFER_FORCE: Final = 33  # SO_RCVBUFFORCE: beyond rmem_max, for root
_BUFFER_BYTES: Final = 16 << 20
_NETLINK: Final = struct.Struct("=IHHII")
_CONNECTOR: Final = struct.Struct("=IIIIHH")
_EVENT: Final = struct.Struct("=IIQ")
_FOUR: Final = struct.Struct("=iiii")
_EXIT: Final = struct.Struct("=iiI")
_NONE, _FORK, _EXEC, _END = 0, 1, 2, 0x80000000
_ANSWER_S: Final = 0.5


class Happening(NamedTuple):
    """One event of one process (not of its threads). `other` is a fork's parent, or an exit's wait status."""

    t: int
    what: str  # "fork", "exec", "exit"
    pid: int
    other: int


class Connector:
    """A subscription. OSError where the kernel does not answer, which it does for root outside only."""

    def __init__(self) -> None:
        if any(os.readlink(f"/proc/self/ns/{one}") != name for one, name in _INITIAL.items()):  # noqa: PTH115 - a magic link
            # Elsewhere we would hear only while another listener keeps the kernel telling.
            raise PermissionError("the kernel tells of processes in the initial namespaces only")
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, _NETLINK_CONNECTOR)
        try:
            with suppress(OSError):
                self._socket.setsockopt(socket.SOL_SOCKET, _RECEIVE_BUFFER_FORCE, _BUFFER_BYTES)
            self._socket.bind((0, _PROC_IDX))
            self._socket.settimeout(_ANSWER_S)
            self._socket.send(_subscription(_LISTEN))
            self._socket.recv(4096)
        except OSError:
            self._socket.close()
            raise
        self.lost = 0

    def fileno(self) -> int:
        return self._socket.fileno()

    def receive(self) -> list[Happening]:
        """Block until one comes, then take what there is. Counts in `lost` when the kernel dropped some."""
        self._socket.settimeout(None)
        found: list[Happening] = []
        for flags in (0, *[socket.MSG_DONTWAIT] * 255):
            try:
                happening = parse(self._socket.recv(4096, flags))
            except BlockingIOError:
                break
            except OSError:  # ENOBUFS: we were too slow, or closed
                self.lost += 1
                break
            if happening is not None:
                found.append(happening)
        return found

    def close(self) -> None:
        with suppress(OSError):  # an old kernel counts its listeners only by what they say
            self._socket.send(_subscription(_IGNORE))
        self._socket.close()


def parse(datagram: bytes) -> Happening | None:
    """None for events of threads, and of kinds that we do not follow."""
    offset = _NETLINK.size + _CONNECTOR.size
    try:
        what, _, t = _EVENT.unpack_from(datagram, offset)
        offset += _EVENT.size
        if what == _FORK:
            _, parent, thread, pid = _FOUR.unpack_from(datagram, offset)
            return Happening(t, "fork", pid, parent) if thread == pid else None
        if what not in {_EXEC, _END}:
            return None
        thread, pid, status = _EXIT.unpack_from(datagram, offset)
    except struct.error:
        return None
    if what == _EXEC:
        return Happening(t, "exec", pid, 0)
    return Happening(t, "exit", pid, status) if thread == pid else None


def _subscription(operation: int) -> bytes:
    word = struct.pack("=I", operation)
    body = _CONNECTOR.pack(_PROC_IDX, _PROC_VAL, 0, 0, len(word), 0) + word
    return _NETLINK.pack(_NETLINK.size + len(body), _DONE, 0, 0, 0) + body
