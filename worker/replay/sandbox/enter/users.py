"""User namespaces: one to be root in, and one that only translates the owners of a folder."""

import os
import signal
from contextlib import suppress
from pathlib import Path

from worker.replay.sandbox.enter import kernel

_ALL = 1 << 31
"""Numbers that a map covers: those that a file system can hold and people use."""


def become_root_of_own(uid: int, gid: int) -> None:
    """After leaving for a new user namespace: its root is who we were outside."""
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1", encoding="ascii")


def translation(pairs: dict[str, tuple[int, int]]) -> int:
    """A namespace's descriptor whose maps turn one owner into another and leave all others as they are.

    `pairs` has the numbers on disk and to be seen under "uid_map" and "gid_map". Needs root.
    """
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(OSError):
            kernel.unshare(kernel.CLONE_NEWUSER)
            os.write(tell, b"1")
            signal.pause()
        os._exit(1)
    try:
        os.close(tell)
        if os.read(ready, 1) != b"1":
            raise PermissionError("no user namespace is to be had")
        for name, (on_disk, seen) in pairs.items():
            Path(f"/proc/{child}/{name}").write_text(map_of(on_disk, seen), encoding="ascii")
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(ready)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def map_of(on_disk: int, seen: int) -> str:
    """The kernel's text: `on_disk` becomes `seen`; the number `seen` itself, on disk, becomes nobody's."""
    lines = [f"{on_disk} {seen} 1"]
    begin = 0
    for hole in sorted({on_disk, seen}):
        if hole > begin:
            lines.append(f"{begin} {begin} {hole - begin}")
        begin = hole + 1
    lines.append(f"{begin} {begin} {_ALL - begin}")
    return "\n".join(lines)
