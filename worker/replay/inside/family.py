"""The processes below this one, from /proc: who they are, and which ports they listen on."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple

MOST_ARGUMENTS = 64
MOST_ARGUMENT_CHARS = 400
_MOST_FILES = 4096
_LISTENING = "0A"
_COMMAND_BYTES = 32768
_TABLE_BYTES = 4 << 20


class Member(NamedTuple):
    pid: int
    parent: int
    state: str


def descendants(root: int) -> list[Member]:
    """All of them, parents before children; zombies too. What goes while we look is left out."""
    children: dict[int, list[Member]] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with suppress(OSError, ValueError, IndexError):
                member = look(int(name))
                children.setdefault(member.parent, []).append(member)
    found: list[Member] = []
    waiting = [root]
    while waiting:
        below = children.pop(waiting.pop(), [])
        found += below
        waiting += [member.pid for member in below]
    return found


def look(pid: int) -> Member:
    """Parent and state of one process. OSError if it is gone."""
    fields = _read(f"/proc/{pid}/stat", 4096).rpartition(")")[2].split()
    return Member(pid, int(fields[1]), fields[0])


def arguments(pid: int) -> list[str]:
    """Its command line, cut to what a report needs; empty for a zombie or a process that is gone."""
    with suppress(OSError):
        given = _read(f"/proc/{pid}/cmdline", _COMMAND_BYTES).split("\0")
        return [one[:MOST_ARGUMENT_CHARS] for one in given[:MOST_ARGUMENTS] if one]
    return []


def catches(pid: int, number: int) -> bool:
    """Whether it has a handler for the signal: one without would be ended by it."""
    with suppress(OSError, ValueError, IndexError):
        caught = _read(f"/proc/{pid}/status", 8192).partition("SigCgt:")[2].split()[0]
        return bool(int(caught, 16) >> (number - 1) & 1)
    return False


def listening_ports(pid: int) -> list[int]:
    """Local TCP ports that one of its descriptors listens on."""
    inodes = set()
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd")[:_MOST_FILES]:
            with suppress(OSError):
                target = os.readlink(f"/proc/{pid}/fd/{name}")
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
    ports = set()
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in _read(f"/proc/{pid}/net/{table}", _TABLE_BYTES).splitlines()[1:]:
                with suppress(IndexError, ValueError):
                    fields = line.split()
                    if fields[3] == _LISTENING and fields[9] in inodes:
                        ports.add(int(fields[1].rpartition(":")[2], 16))
    return sorted(ports)


def _read(path: str, most: int) -> str:
    with open(path, "rb") as opened:
        return opened.read(most).decode("utf-8", "replace")
