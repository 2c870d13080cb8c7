"""The few system calls that Python has no name for."""

import ctypes
import os
import platform
import struct
from collections.abc import Callable
from typing import Final

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWCGROUP: Final = 0x02000000
CLONE_NEWUTS: Final = 0x04000000
CLONE_NEWIPC: Final = 0x08000000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000
CLONE_NEWNET: Final = 0x40000000

MS_NOSUID: Final = 2
MS_NODEV: Final = 4
MS_NOEXEC: Final = 8
MS_BIND: Final = 4096
MS_REC: Final = 16384
MS_PRIVATE: Final = 1 << 18
MNT_DETACH: Final = 2

ATTR_RDONLY: Final = 1
ATTR_NOSUID: Final = 2
ATTR_NODEV: Final = 4
ATTR_IDMAP: Final = 0x100000

PR_SET_PDEATHSIG: Final = 1
PR_SET_SECCOMP: Final = 22
PR_CAPBSET_DROP: Final = 24
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38
SECCOMP_MODE_FILTER: Final = 2

_AT_FDCWD: Final = -100
_AT_EMPTY_PATH: Final = 0x1000
_AT_RECURSIVE: Final = 0x8000
_OPEN_TREE_CLONE: Final = 1
_MOVE_MOUNT_F_EMPTY_PATH: Final = 4
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_KEYCTL_JOIN_SESSION_KEYRING: Final = 1
_PIVOT_ROOT_AND_KEYCTL: Final = {"x86_64": (155, 250), "aarch64": (41, 219)}
_LAST_CAPABILITY: Final = 63
_CAPABILITIES_V3: Final = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    _checked(_libc.unshare, ctypes.c_int(flags))


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    texts = (source.encode(), target.encode(), kind.encode())
    _checked(
        _libc.mount,
        *texts,
        ctypes.c_ulong(flags),
        options.encode(),
        what=f"mount {kind or 'bind'} at {target}",
    )


def unmount(target: str) -> None:
    _checked(_libc.umount2, target.encode(), ctypes.c_int(MNT_DETACH), what=f"unmount {target}")


def restrict(target: str, attributes: int, *, alone: bool = False) -> None:
    """Add attributes to a mount and, unless it alone is meant, all below it."""
    _set_attributes(_AT_FDCWD, target.encode(), 0 if alone else _AT_RECURSIVE, attributes, 0)


def mount_with_owner(source: str, target: str, namespace: int) -> None:
    """Mount a folder a second time, its owners translated by the map of a user namespace."""
    tree = _system_call(
        _OPEN_TREE, ctypes.c_int(_AT_FDCWD), source.encode(), ctypes.c_uint(_OPEN_TREE_CLONE | os.O_CLOEXEC)
    )
    try:
        _set_attributes(tree, b"", _AT_EMPTY_PATH, ATTR_IDMAP, namespace)
        flags = ctypes.c_uint(_MOVE_MOUNT_F_EMPTY_PATH)
        _system_call(_MOVE_MOUNT, ctypes.c_int(tree), b"", ctypes.c_int(_AT_FDCWD), target.encode(), flags)
    finally:
        os.close(tree)


def pivot_root(new: str, put_old: str) -> None:
    _system_call(_of_this_machine()[0], new.encode(), put_old.encode())


def leave_keyrings() -> None:
    """A new and empty session keyring; where the kernel has no keyrings there is nothing to leave."""
    try:
        _system_call(_of_this_machine()[1], ctypes.c_int(_KEYCTL_JOIN_SESSION_KEYRING), None)
    except (OSError, KeyError):
        return


def control(option: int, value: int, pointer: object = 0) -> None:
    """`prctl` with up to two arguments."""
    second = pointer if isinstance(pointer, ctypes.c_void_p) else ctypes.c_ulong(0)
    _checked(
        _libc.prctl, ctypes.c_int(option), ctypes.c_ulong(value), second, ctypes.c_ulong(0), ctypes.c_ulong(0)
    )


def drop_bounding_capabilities() -> None:
    """No program that is started from now on can gain any."""
    for capability in range(_LAST_CAPABILITY):
        try:
            control(PR_CAPBSET_DROP, capability)
        except OSError:
            return  # past the kernel's last one


def drop_capabilities() -> None:
    header = struct.pack("=Ii", _CAPABILITIES_V3, 0)
    _checked(_libc.capset, header, struct.pack("=6I", *[0] * 6))


def _set_attributes(folder: int, path: bytes, flags: int, attributes: int, namespace: int) -> None:
    told = struct.pack("=4Q", attributes, 0, 0, namespace)
    arguments = (ctypes.c_int(folder), path, ctypes.c_uint(flags), told, ctypes.c_size_t(len(told)))
    _system_call(_MOUNT_SETATTR, *arguments)


def _of_this_machine() -> tuple[int, int]:
    return _PIVOT_ROOT_AND_KEYCTL[platform.machine()]


def _system_call(number: int, *arguments: object) -> int:
    return _checked(_libc.syscall, ctypes.c_long(number), *arguments, what=f"system call {number}")


def _checked(call: Callable[..., int], *arguments: object, what: str = "") -> int:
    answer = call(*arguments)
    if answer == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what or getattr(call, '__name__', '')}: {os.strerror(number)}")
    return answer
