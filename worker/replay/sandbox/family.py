"""The descendants of one process, as /proc shows them from outside."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


class Member(NamedTuple):
    pid: int
    parent: int
    state: str
    cpu_ticks: int


def descendants(root: int) -> list[Member]:
    """The root and all that it brought forth, parents before children; empty once the root is gone.

    What lost its parent and was taken in by nobody in the tree is not found.
    """
    children: dict[int, list[Member]] = {}
    found: list[Member] = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - names are wanted, often
        if name.isdigit() and (member := look_at(int(name))):
            children.setdefault(member.parent, []).append(member)
            if member.pid == root:
                found.append(member)
    for member in found:
        found.extend(children.get(member.pid, ()))
    return found


def found_quickly(root: int) -> list[int]:
    """The living of a tree, by each process's list of children: cheap enough for every few ms.

    One that is born while we look may be missed once. Without such lists all processes are looked at.
    """
    if not Path(f"/proc/{root}/task/{root}/children").exists():
        return [member.pid for member in descendants(root) if member.state not in "ZX"]
    found = [root]
    for pid in found:
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - names are wanted, often
                found += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_bytes().split())
    return [pid for pid in found if (member := look_at(pid)) and member.state not in "ZX"]


def look_at(pid: int) -> Member | None:
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return Member(pid, int(fields[1]), fields[0].decode(), int(fields[11]) + int(fields[12]))
    return None


def cpu_ns(pid: int) -> int:
    """CPU time of all threads that the process has now; 0 once it is gone."""
    total = 0
    with suppress(OSError, ValueError, IndexError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - names are wanted, often
            total += int(Path(f"/proc/{pid}/task/{thread}/schedstat").read_bytes().split()[0])
    return total


def session_of(session: int) -> list[int]:
    """All processes of one session, whoever their parent is by now."""
    found = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - names are wanted, often
        with suppress(OSError):
            if name.isdigit() and os.getsid(int(name)) == session:
                found.append(int(name))
    return found


def send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
