"""How a process ended, from a descriptor of it: no privilege needed, since Linux 6.15 (PIDFD_GET_INFO)."""

import fcntl
import struct
from typing import Final

_INFO: Final = struct.Struct(
    "=QQ11Ii"
)  # struct pidfd_info of linux/pidfd.h, as first published with exit_code
_GET_INFO: Final = (3 << 30) | (_INFO.size << 16) | (0xFF << 8) | 11
_WITH_EXIT: Final = 1 << 3


def exit_status(pidfd: int) -> int | None:
    """The wait status of a process that was reaped; None before that, and where the kernel does not tell."""
    told = bytearray(_INFO.size)
    struct.pack_into("=Q", told, 0, _WITH_EXIT)
    try:
        fcntl.ioctl(pidfd, _GET_INFO, told)
    except OSError:
        return None
    fields = _INFO.unpack(told)
    return int(fields[-1]) if fields[0] & _WITH_EXIT else None
