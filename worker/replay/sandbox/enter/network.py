"""A network of its own: loopback only, up, checked, and with as few local ports as asked for."""

import fcntl
import socket
import struct
from pathlib import Path
from typing import Final

_SIOCGIFFLAGS: Final = 0x8913
_SIOCSIFFLAGS: Final = 0x8914
_IFF_UP: Final = 1
_REQUEST: Final = "16sH14x"
FIRST_PORT: Final = 32768


def bring_up_loopback() -> None:
    """With loopback down a rendezvous hangs for minutes, so a connection is made before anything starts."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        given = fcntl.ioctl(asking, _SIOCGIFFLAGS, struct.pack(_REQUEST, b"lo", 0))
        (_, flags) = struct.unpack(_REQUEST, given)
        fcntl.ioctl(asking, _SIOCSIFFLAGS, struct.pack(_REQUEST, b"lo", flags | _IFF_UP))
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname(), timeout=5),
    ):
        pass


def narrow_ports(width: int) -> None:
    """In the network namespace that we are in."""
    allowed = f"{FIRST_PORT} {FIRST_PORT + max(1, width) - 1}"
    Path("/proc/sys/net/ipv4/ip_local_port_range").write_text(allowed, encoding="ascii")
