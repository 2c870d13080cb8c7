"""What the suspect may write, all on one bounded file system in memory: project, /tmp, /dev/shm, home.

The project is its own files with a layer on top where that can be mounted, else a copy. The mounts are in
our namespace only and go with the last process in it.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from worker.replay.sandbox.enter import kernel, order, users
from worker.replay.sandbox.enter.order import Order

MOST_FILES: Final = 500_000
_OPEN_TO_ALL: Final = 0o1777
_PRIVATE: Final = 0o700


def prepare(given: Order) -> None:
    """Mount the stage and fill it. OSError where it does not fit, or cannot be mounted at all."""
    stage = Path(given.stage)
    kernel.mount("", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    options = f"size={given.disk_bytes},nr_inodes={MOST_FILES},mode=0755"
    kernel.mount("tmpfs", given.stage, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
    owner = (-1, -1) if given.maps_users else (given.uid, given.gid)
    for name, mode in ((order.TMP, _OPEN_TO_ALL), (order.SHM, _OPEN_TO_ALL), (order.HOME, _PRIVATE)):
        (stage / name).mkdir()
        (stage / name).chmod(mode)
    os.chown(stage / order.HOME, *owner)
    for name in (order.PROJECT, order.UPPER, order.WORK, order.LOWER, order.ETC, order.ROOT):
        (stage / name).mkdir()
    for name, text in (given.etc or {}).items():
        (stage / order.ETC / name).write_text(text, encoding="utf-8")
    if not _put_layer_over(given, stage):
        copy(Path(given.project), stage / order.PROJECT, given.left_out, owner)
    _replace_git_config(given, stage / order.PROJECT, owner)


def _put_layer_over(given: Order, stage: Path) -> bool:
    """False where a layer cannot be had, or would not be the suspect's to write."""
    project = stage / order.PROJECT
    status = Path(given.project).stat()
    lower = given.project
    try:
        if given.maps_users:
            if status.st_uid != 0:  # as we see it, having become root: not ours outside
                return False
            extra = "userxattr"
        else:
            namespace = users.translation(
                {"uid_map": (status.st_uid, given.uid), "gid_map": (status.st_gid, given.gid)}
            )
            lower = str(stage / order.LOWER)
            kernel.mount_with_owner(given.project, lower, namespace)
            os.close(namespace)
            extra = "redirect_dir=on"
        _own_as(stage / order.UPPER, lower)
        folder = os.open(lower, os.O_PATH | os.O_DIRECTORY)
        layers = f"upperdir={stage / order.UPPER},workdir={stage / order.WORK}"
        options = f"lowerdir=/proc/self/fd/{folder},{layers},{extra}"
        kernel.mount("overlay", str(project), "overlay", kernel.MS_NOSUID | kernel.MS_NODEV, options)
    except OSError:
        return False
    os.close(folder)
    return True


def _own_as(upper: Path, lower: str) -> None:
    """The upper folder's owner and mode are those of the merged one."""
    status = Path(lower).stat()
    os.chown(upper, status.st_uid, status.st_gid)
    upper.chmod(status.st_mode & 0o7777)


def copy(source: Path, target: Path, left_out: tuple[str, ...], owner: tuple[int, int]) -> None:
    """Plain files, folders and links; links are copied as links, whatever they point at.

    Sockets, FIFOs and devices are left out, and so is what we may not read.
    """
    os.chown(target, *owner)
    shutil.copymode(source, target)
    for entry in _entries(source):
        path = target / entry.name
        if entry.path in left_out:
            path.mkdir()
        elif entry.is_symlink():
            path.symlink_to(os.readlink(entry.path))  # noqa: PTH115 - the entry has a text
        elif entry.is_dir(follow_symlinks=False):
            path.mkdir()
            copy(Path(entry.path), path, left_out, owner)
        elif entry.is_file(follow_symlinks=False):
            with suppress(PermissionError):
                shutil.copy2(entry.path, path, follow_symlinks=False)
        if path.is_symlink() or path.exists():
            os.chown(path, *owner, follow_symlinks=False)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    with suppress(PermissionError), os.scandir(folder) as entries:
        yield from entries


def _replace_git_config(given: Order, project: Path, owner: tuple[int, int]) -> None:
    if given.git_config is None:
        return
    path = project / ".git" / "config"
    path.unlink()
    path.write_text(given.git_config, encoding="utf-8")
    os.chown(path, *owner)
