"""What of a tree still lives, and what it still listens on, seen from outside."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from worker.replay.facts import Survivor
from worker.replay.sandbox import family

_LISTENING: Final = "0A"
_MOST: Final = 64
_COMMAND_BYTES: Final = 4096
_WALLS: Final = ("bwrap", "worker.replay.sandbox.enter", "systemd-run")


def described(pids: Iterable[int], isolation: str) -> list[Survivor]:
    found = []
    for pid in pids:
        looked = family.look_at(pid)
        argv = _arguments(pid)
        if looked is None or looked.state in "ZX" or (isolation != "none" and _is_wall(argv)):
            continue
        found.append(Survivor(_inside(pid), argv, looked.state, tuple(sorted(listening_ports([pid])))))
    return found[:_MOST]


def listening_ports(pids: Iterable[int]) -> set[int]:
    """Local TCP ports that these processes listen on, in whatever network they are in."""
    ports: set[int] = set()
    for pid in pids:
        sockets = _sockets(pid)
        if sockets:
            ports |= {port for port, number in _listening(Path(f"/proc/{pid}/net")) if number in sockets}
    return ports


def listening_here() -> set[int]:
    """Local TCP ports that anybody listens on in our own network."""
    return {port for port, _ in _listening(Path("/proc/self/net"))}


def _listening(tables: Path) -> Iterator[tuple[int, str]]:
    """Port and number of each listening socket."""
    for name in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (tables / name).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTENING:
                    yield int(fields[1].rpartition(":")[2], 16), fields[9]


def _sockets(pid: int) -> set[str]:
    found = set()
    folder = f"/proc/{pid}/fd"
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 - names are wanted
            with suppress(OSError):
                target = os.readlink(f"{folder}/{name}")  # noqa: PTH115 - a magic link
                if target.startswith("socket:["):
                    found.add(target[len("socket:[") : -1])
    return found


def _arguments(pid: int) -> tuple[str, ...]:
    with suppress(OSError), Path(f"/proc/{pid}/cmdline").open("rb") as file:
        return tuple(one.decode("utf-8", "replace") for one in file.read(_COMMAND_BYTES).split(b"\0") if one)
    return ()


def _is_wall(argv: tuple[str, ...]) -> bool:
    """Bubblewrap's own two processes bear its command line, whole; the suspect's name theirs."""
    return bool(argv) and (Path(argv[0]).name == _WALLS[0] or _WALLS[1] in argv[:6])


def _inside(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("NSpid:"):
                return int(line.split()[-1])
    return pid
