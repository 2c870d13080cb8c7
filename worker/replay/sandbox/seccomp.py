"""System calls that no test needs and that reach past namespaces: keyrings above all.

They fail as if the kernel did not have them. Everything else stays as CI has it.
"""

import platform
import struct
from typing import Final

_ENOSYS: Final = 38
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_ARCHITECTURE_AT, _NUMBER_AT = 4, 0
_X32_BIT: Final = 0x40000000
_AT_LEAST: Final = 0x35

# add_key, request_key, keyctl; bpf; perf_event_open; userfaultfd; kexec_load, kexec_file_load;
# init_module, finit_module, delete_module; open_by_handle_at
_CALLS: Final = {
    "x86_64": (0xC000003E, (248, 249, 250, 321, 298, 323, 246, 320, 175, 313, 176, 304)),
    "aarch64": (0xC00000B7, (217, 218, 219, 280, 241, 282, 104, 294, 105, 273, 106, 265)),
}


def filter_program(machine: str | None = None) -> bytes | None:
    """The kernel's filter, 8 bytes an instruction; None on a machine that we do not know."""
    known = _CALLS.get(machine or platform.machine())
    if known is None:
        return None
    architecture, calls = known
    program = [
        _instruction(_LOAD, _ARCHITECTURE_AT),
        _instruction(_EQUAL, architecture, if_not=len(calls) + 3),
        _instruction(_LOAD, _NUMBER_AT),
        _instruction(_AT_LEAST, _X32_BIT, if_so=len(calls) + 1),
    ]
    program += [_instruction(_EQUAL, call, if_so=len(calls) - at) for at, call in enumerate(calls)]
    program += [_instruction(_RETURN, _ALLOW), _instruction(_RETURN, _FAIL | _ENOSYS)]
    return b"".join(program)


def _instruction(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_so, if_not, value)
