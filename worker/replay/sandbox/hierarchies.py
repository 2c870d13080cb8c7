"""Where this process's own groups are, controller by controller: one host may have both versions at once."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_UNIFIED = ""


class Mount(NamedTuple):
    """A mounted hierarchy. `root` is the group that its mount point shows, "/" outside of containers."""

    folder: Path
    root: str
    version: int
    options: frozenset[str]


class OwnGroups(NamedTuple):
    """Folders of the groups that this process is in; `unified` is None where v2 is not mounted."""

    v1: Mapping[str, Path]
    unified: Path | None


def own_groups(of: str = "self", proc: Path = Path("/proc")) -> OwnGroups:
    """Read from the process's own files; a controller that is mounted nowhere is left out."""
    try:
        mounts = parse_mounts((proc / of / "mountinfo").read_text())
        paths = parse_groups((proc / of / "cgroup").read_text())
    except OSError:
        return OwnGroups({}, None)
    v1: dict[str, Path] = {}
    unified = None
    for mount in mounts:
        if mount.version == 2:  # noqa: PLR2004 - the version of cgroups
            unified = _folder(mount, paths.get(_UNIFIED)) or unified
            continue
        for controller in mount.options & paths.keys():
            folder = _folder(mount, paths[controller])
            if folder:
                v1[controller] = folder
    return OwnGroups(v1, unified)


def parse_mounts(text: str) -> list[Mount]:
    mounts = []
    for line in text.splitlines():
        head, _, tail = line.partition(" - ")
        fields, rest = head.split(), tail.split()
        if rest and rest[0] in {"cgroup", "cgroup2"}:
            version = 2 if rest[0] == "cgroup2" else 1
            mounts.append(
                Mount(Path(_unescaped(fields[4])), fields[3], version, frozenset(rest[-1].split(",")))
            )
    return mounts


def parse_groups(text: str) -> dict[str, str]:
    """Controller -> path of its group; the unified hierarchy's stands under the empty name."""
    paths = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            paths[controller] = path
    return paths


def _folder(mount: Mount, path: str | None) -> Path | None:
    """The group's folder; None where the mount shows another part of the hierarchy."""
    if path is None or ".." in PurePosixPath(path).parts:
        return None
    if mount.root == "/":
        folder = mount.folder / path.lstrip("/")
    elif PurePosixPath(path).is_relative_to(mount.root):
        folder = mount.folder / PurePosixPath(path).relative_to(mount.root)
    else:
        folder = mount.folder
    return folder if folder.is_dir() else None


def _unescaped(field: str) -> str:
    return field.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
