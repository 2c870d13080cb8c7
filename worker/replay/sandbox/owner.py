"""Whose a sandbox is: a process by number and start time, written into the name of all that it makes.

A name alone then tells what a dead owner left, and a number that was given out again misleads nobody.
"""

import itertools
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_NAME: Final = re.compile(r"flake-triage\.([0-9]{1,10})\.([0-9]{1,20})\.[0-9]{1,10}(\.scope)?")
_serial = itertools.count(1)


class Owner(NamedTuple):
    pid: int
    started: int  # in clock ticks since boot, as /proc has it

    @property
    def is_alive(self) -> bool:
        return started_at(self.pid) == self.started


def new_name() -> str:
    """`flake-triage.PID.START.SERIAL`, of this process; never the same twice."""
    pid = os.getpid()
    return f"flake-triage.{pid}.{started_at(pid)}.{next(_serial)}"


def owner_in(name: str) -> Owner | None:
    """Whose a thing of this name is; None where the name is not ours."""
    found = _NAME.fullmatch(name)
    return Owner(int(found[1]), int(found[2])) if found else None


def started_at(pid: int) -> int | None:
    """None once the process is gone; a zombie is gone."""
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return None if fields[0] in {b"Z", b"X"} else int(fields[19])
    return None
