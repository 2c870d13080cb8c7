"""What the entering process is to do, as it is handed over: one JSON text in an unnamed file."""

import json
import os
from dataclasses import asdict, dataclass
from typing import Final

PROJECT: Final = "project"
UPPER: Final = "upper"
WORK: Final = "work"
LOWER: Final = "lower"
TMP: Final = "tmp"
SHM: Final = "shm"
HOME: Final = "home"
ETC: Final = "etc"
ROOT: Final = "root"


@dataclass(frozen=True, slots=True)
class Order:
    """One start. Without isolation everything from `maps_users` to `etc` is left alone."""

    parent: int  # the process that started us: when it dies, so do we
    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str
    joins: tuple[str, ...] = ()
    resources: dict[str, int] | None = None
    cores: tuple[int, ...] = ()
    isolation: str = "none"
    maps_users: bool = False  # in a user namespace of our own, else as root that lets itself go
    uid: int = 0  # as which the suspect runs, inside
    gid: int = 0
    stage: str = ""  # an empty folder: what is bounded and thrown away is mounted there
    disk_bytes: int = 0
    project: str = ""
    git_config: str | None = None  # what the copy's own `.git/config` says instead
    left_out: tuple[str, ...] = ()  # folders in the project that are bound over it and need no copy
    ports: int | None = None
    plan: tuple[tuple[str, str, str], ...] = ()  # of the root: what, from where, to where
    etc: dict[str, str] | None = None
    hostname: str = "sandbox"

    def to_descriptor(self) -> int:
        """An unnamed file that holds it, to be inherited."""
        descriptor = os.memfd_create("order")
        with open(descriptor, "w", encoding="utf-8", closefd=False) as file:
            json.dump(asdict(self), file)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor


def from_descriptor(descriptor: int) -> Order:
    with open(descriptor, encoding="utf-8") as file:
        given = json.load(file)
    for name in ("argv", "joins", "cores", "left_out"):
        given[name] = tuple(given[name])
    given["plan"] = tuple(tuple(one) for one in given["plan"])
    return Order(**given)
