"""The root that a suspect sees: an allow-list of read-only folders, and what it may write.

What is not listed is not there: homes, the service's folders and sockets, control groups, devices.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from worker.replay.sandbox.enter import order
from worker.replay.sandbox.interpreter import Needs
from worker.replay.sandbox.refused import Refused
from worker.replay.sandbox.view import View

HOME: Final = Path("/home/suspect")
OURS: Final = Path("/flake-triage")
USER: Final = 65534
MAPPED_USER: Final = 1000

_USR: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "share", "include", "local")
_AT_ROOT: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC: Final = (
    "alternatives",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "ssl/certs",
)
_SYS: Final = ("/sys/devices/system/cpu", "/sys/devices/system/node")
_TAKEN: Final = frozenset(
    ("/bin", "/dev", "/etc", "/flake-triage", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr")
)
_CREDENTIAL: Final = re.compile(r"\s*\[(credential|http|url|includeif|include)\b", re.IGNORECASE)
_LOGIN: Final = re.compile(r"(://)[^/@\s]+@")


class Step(NamedTuple):
    """`read`, `write` (both bind `source`), `link` (its text is `source`), `dir`, `dev`, `proc`."""

    what: str
    source: str
    target: str


def plan_of(view: View, needs: Needs, *, stage: Path, tools: Path, journal: Path | None) -> list[Step]:
    """Steps in order: no step's target lies below the target of a later one."""
    project = view.project
    steps = [*_system(), Step("proc", "", "/proc"), Step("dev", "", "/dev")]
    steps += [Step("read", str(stage / order.ETC / name), f"/etc/{name}") for name in ETC_FILES]
    steps.append(Step("write", str(stage / order.SHM), "/dev/shm"))  # noqa: S108 - inside
    steps.append(Step("write", str(stage / order.TMP), str(view.tmp)))
    steps.append(Step("write", str(stage / order.HOME), str(view.home)))
    steps += [Step("read", str(one), str(one)) for one in needs.folders if not one.is_relative_to(project)]
    steps.append(Step("write", str(stage / order.PROJECT), str(project)))
    steps += [Step("read", str(one), str(one)) for one in needs.folders if one.is_relative_to(project)]
    steps += [Step("link", text, str(link)) for link, text in needs.links if not link.is_relative_to(project)]
    steps.append(Step("read", str(tools), str(view.tools)))
    if journal is not None:
        steps.append(Step("write", str(journal), str(view.journal)))
    return list(_with_parents(steps))


ETC_FILES: Final = ("passwd", "group", "hosts", "nsswitch.conf", "resolv.conf")


def etc_files(uid: int, gid: int) -> dict[str, str]:
    """The few files that looking up a user or a host reads."""
    return {
        "passwd": f"root:x:0:0::/root:/usr/sbin/nologin\nsuspect:x:{uid}:{gid}::{HOME}:/bin/sh\n",
        "group": f"root:x:0:\nsuspect:x:{gid}:\n",
        "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
        "resolv.conf": "",
    }


def checked_project(project: Path) -> Path:
    """Its real path. Refused for one that would lay itself over what the suspect needs to run."""
    real = Path(os.path.realpath(project))
    if not real.is_dir():
        raise Refused(f"{project} is not a folder.")
    is_above = any(Path(one).is_relative_to(real) for one in (*_TAKEN, "/tmp", str(HOME)))  # noqa: S108 - inside
    if is_above or real == Path.home() or any(real.is_relative_to(one) for one in _TAKEN):
        raise Refused(
            f"{real} cannot be replayed as a project: it holds or is a home, or a part of the system."
        )
    return real


def without_credentials(git_config: str) -> str:
    """A repository's settings without what logs in: checkout leaves the job's token in there."""
    kept = []
    is_kept = True
    for line in git_config.splitlines():
        if line.lstrip().startswith("["):
            is_kept = not _CREDENTIAL.match(line)
        if is_kept:
            kept.append(_LOGIN.sub(r"\1", line))
    return "\n".join(kept) + "\n"


def _system() -> Iterator[Step]:
    for path in (*(f"/usr/{name}" for name in _USR), *(f"/{name}" for name in _AT_ROOT)):
        if Path(path).is_symlink():
            yield Step("link", os.readlink(path), path)  # noqa: PTH115 - the text as it stands
        elif Path(path).is_dir():
            yield Step("read", path, path)
    for path in (*(f"/etc/{name}" for name in _ETC), *_SYS):
        if Path(path).exists():
            yield Step("read", os.path.realpath(path), path)


def _with_parents(steps: list[Step]) -> Iterator[Step]:
    """Every folder on the way is made open to all: made by a mount, it would be closed as its source is."""
    made = {"/"}
    for step in steps:
        for parent in reversed(Path(step.target).parents):
            if str(parent) not in made:
                made.add(str(parent))
                yield Step("dir", "", str(parent))
        made.add(step.target)
        yield step
