"""The plan of a root as bubblewrap's arguments."""

import shutil
from collections.abc import Iterable, Sequence
from typing import Final

from worker.replay.sandbox.root_plan import Step

NAME: Final = "bubblewrap"
_TO_LET_GO: Final = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")

_ENTERING: Final = ("/bin/sh", "-c", 'cd -- "$1" && shift && exec "$@"', "sh")
"""By the suspect itself: root without its capabilities may not enter a folder that only its owner may."""


def program() -> str | None:
    return shutil.which("bwrap")


def command(
    argv: Sequence[str],
    steps: Iterable[Step],
    *,
    cwd: str,
    hostname: str,
    user: int,
    maps_users: bool,
    filter_descriptor: int | None,
) -> list[str]:
    """What to run, as root of the namespaces that we made: the network is ours already, and stays.

    With a map the suspect is that user of a namespace within ours. Without one, root starts it with the
    few capabilities that it takes to become somebody else and to lose them all.
    """
    found = program()
    assert found is not None
    told = [found, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    told += ["--hostname", hostname, "--die-with-parent"]
    for step in steps:
        told += _arguments(step)
    for folder in ("/dev", "/"):
        told += ["--remount-ro", folder]
    if filter_descriptor is not None:
        told += ["--seccomp", str(filter_descriptor)]
    if maps_users:
        return [
            *told,
            "--chdir",
            cwd,
            "--unshare-user",
            "--uid",
            str(user),
            "--gid",
            str(user),
            "--cap-drop",
            "ALL",
            "--",
            *argv,
        ]
    told += ["--cap-drop", "ALL"]
    for capability in _TO_LET_GO:
        told += ["--cap-add", capability]
    return [*told, "--chdir", "/", "--", *_becoming(user), *_ENTERING, cwd, *argv]


def _becoming(user: int) -> list[str]:
    who = [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    return ["/usr/bin/setpriv", *who, "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--"]


def _arguments(step: Step) -> list[str]:
    what, source, target = step
    if what == "dir":
        return ["--perms", "0755", "--dir", target]
    if what == "link":
        return ["--symlink", source, target]
    if what == "read":
        return ["--ro-bind", source, target]
    if what == "write":
        return ["--bind", source, target]
    return [f"--{what}", target]
