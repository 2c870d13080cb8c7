"""Removes what a killed engine left. Run at each start, before the first sandbox."""

import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path

from worker.replay.sandbox import family, group, records
from worker.replay.sandbox.cgroup_v2 import LEAF
from worker.replay.sandbox.hierarchies import own_groups
from worker.replay.sandbox.owner import owner_in, started_at
from worker.replay.sandbox.systemd_scope import stop_unit
from worker.replay.trial import Cleanup


def sweep() -> Cleanup:
    """End and remove what sandboxes of dead owners left; return how much that was.

    Namespaces end with the engine by themselves, and their mounts with them. Left are groups, folders, and
    where nothing was isolated, processes: those of the groups, or of the sessions that were launched.
    """
    processes = paths = mounts = 0
    groups = dict.fromkeys(_groups_below_ours())
    for left in records.of_the_dead():
        processes += _end_sessions(left.launched)
        mounts += records.mounts_below(left.folder)
        groups |= dict.fromkeys(one for one in left.groups if (one / "cgroup.procs").exists())
        if owner_in(left.folder.name) is not None and left.folder.is_dir():
            shutil.rmtree(left.folder, ignore_errors=True)
            paths += 1
        left.file.unlink(missing_ok=True)
    for folder in groups:
        processes += len(group.members(folder))
        if folder.suffix == ".scope":
            stop_unit(folder.name)
        group.remove(folder)
    return Cleanup(processes=processes, groups=len(groups), mounts=mounts, paths=paths)


def _end_sessions(launched: tuple[tuple[int, int], ...]) -> int:
    """A number that was given out again is somebody else's, unless its session has outlived its first one."""
    ended = 0
    for session, started in launched:
        if started_at(session) not in {started, None}:
            continue
        pids = {member.pid for member in family.descendants(session)} | set(family.session_of(session))
        ours = [pid for pid in pids if pid != os.getpid()]
        family.send(ours, signal.SIGKILL)
        ended += len(ours)
    return ended


def _groups_below_ours() -> list[Path]:
    own = own_groups()
    places = [*own.v1.values(), *([own.unified] if own.unified else [])]
    places += [place.parent for place in places if place.name == LEAF]
    found: dict[Path, None] = {}
    for place in places:
        with suppress(OSError):
            for folder in place.iterdir():
                owner = owner_in(folder.name)
                if owner is not None and not owner.is_alive:
                    found[folder] = None
    return list(found)
