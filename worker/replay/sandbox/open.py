"""Opens a sandbox: chooses the best walls and limits that are to be had here, and says which they are."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

from worker.replay.limits import Limits
from worker.replay.sandbox import bubblewrap, limiting
from worker.replay.sandbox.enter import layers
from worker.replay.sandbox.interpreter import Needs, is_open_to_all, needs_of
from worker.replay.sandbox.limiting import Limiter
from worker.replay.sandbox.owner import new_name
from worker.replay.sandbox.refused import Refused
from worker.replay.sandbox.root_plan import HOME, OURS, USER, checked_project
from worker.replay.sandbox.sandbox import Sandbox
from worker.replay.sandbox.view import View
from worker.replay.sandbox.walls import NONE, UNSHARE, Walls
from worker.replay.suspect import Suspect

WALLS: Final = (bubblewrap.NAME, UNSHARE)
_TRYING_S: Final = 30.0
_ANSWER: Final = 7
WAY_OUT: Final = "Install bubblewrap, or give --no-isolation to run the test with your own rights."


def open_sandbox(
    limits: Limits,
    suspect: Suspect,
    scratch: Path,
    *,
    tools: Path,
    journal: Path | None,
    walls: Sequence[str] = WALLS,
    backends: Sequence[str] = limiting.ORDER,
) -> Sandbox:
    """A sandbox whose scratch folder is below `scratch`. Refused where the suspect is to be isolated and
    cannot be; what the limits are worth is in `held`. The journal folder becomes the suspect's to write.
    """
    project = checked_project(suspect.project)
    python = Path(os.path.normpath(suspect.python.absolute()))
    scratch.mkdir(parents=True, exist_ok=True)
    folder = Path(os.path.realpath(scratch)) / new_name()
    folder.mkdir(mode=0o755)
    try:
        if not suspect.isolated:
            return _open_without_walls(limits, suspect, project, python, folder, tools, journal, backends)
        needs = needs_of(python, project)
        isolation, maps_users = _best_walls(tuple(walls), becomes_other=is_open_to_all(python, needs))
        if journal is not None and not maps_users:
            os.chown(journal, USER, USER)
        inside = OURS / "journal" if journal is not None else None
        view = View(project, python, OURS / "tools", inside, Path("/tmp"), HOME)  # noqa: S108 - a private one
        built = Walls(
            isolation, view, maps_users, folder, tools.resolve(), journal and journal.resolve(), needs
        )
        built.left_out = tuple(one.resolve() for one in suspect.left_out)
        built.notes += _notes(limits, maps_users=maps_users)
        return Sandbox(limits, Limiter(limits, as_root=False, backends=backends), built, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _open_without_walls(
    limits: Limits,
    suspect: Suspect,
    project: Path,
    python: Path,
    folder: Path,
    tools: Path,
    journal: Path | None,
    backends: Sequence[str],
) -> Sandbox:
    """Limits and a copy of the project, nothing else."""
    copied = folder / "project" / project.name
    copied.mkdir(parents=True)
    left_out = [*_inner_environments(project, python), *(one.resolve() for one in suspect.left_out)]
    _check_size(project, limits.disk_bytes, left_out)
    layers.copy(project, copied, tuple(str(one) for one in left_out), (-1, -1))
    for name in ("tmp", "home"):
        (folder / name).mkdir()
    view = View(
        copied, python, tools.resolve(), journal and journal.resolve(), folder / "tmp", folder / "home"
    )
    built = Walls(NONE, view)
    built.notes.append("The test ran with your own rights, and could read and reach what you can.")
    if limits.ports is not None:
        built.notes.append("Without a network of its own the range of ports could not be narrowed.")
    built.notes.append("What it wrote was bounded by file only.")
    return Sandbox(limits, Limiter(limits, as_root=os.geteuid() == 0, backends=backends), built, folder)


def _inner_environments(project: Path, python: Path) -> list[Path]:
    """Virtual environments in the project: used where they are, since they know their own path."""
    found = [path.parent for path in project.glob("*/pyvenv.cfg")]
    prefix = python.parent.parent
    return [*found, prefix] if prefix.is_relative_to(project) and prefix not in found else found


def _check_size(project: Path, most_bytes: int, left_out: Sequence[Path]) -> None:
    size = 0
    for path, folders, files in os.walk(project):
        folders[:] = [name for name in folders if Path(path, name) not in left_out]
        for name in files:
            with suppress(OSError):
                size += os.lstat(os.path.join(path, name)).st_size  # noqa: PTH118 - many, and short-lived
        if size > most_bytes:
            raise Refused(f"{project} is larger than the {most_bytes >> 20} MiB that a trial may write.")


def _notes(limits: Limits, *, maps_users: bool) -> list[str]:
    notes = []
    if limits.memory_bytes is not None:
        notes.append("Files that the test writes are in memory, and count against its limit.")
    if maps_users:
        notes.append("The suspect's user is ours, in namespaces and without capabilities.")
    return notes


def _best_walls(wanted: tuple[str, ...], *, becomes_other: bool) -> tuple[str, bool]:
    """The first way that works here, and whether it maps users. Refused where none does.

    Root lets a suspect be another user, where that user can start the interpreter; else, and for all who are
    not root, it is ourselves under another number, without capabilities.
    """
    troubles = []
    for isolation in wanted:
        for maps_users in (False, True) if os.geteuid() == 0 and becomes_other else (True,):
            trouble = _trouble_with(isolation, maps_users=maps_users)
            if trouble is None:
                return isolation, maps_users
            troubles.append(f"{isolation}: {trouble}")
    told = "; ".join(dict.fromkeys(troubles))
    raise Refused(f"The test cannot be kept away from this machine ({told}). {WAY_OUT}")


@lru_cache
def _trouble_with(isolation: str, *, maps_users: bool) -> str | None:
    """Put the walls up around nothing, once for each way; None where they stand."""
    if isolation == bubblewrap.NAME and bubblewrap.program() is None:
        return "it is not installed"
    python = Path("/bin/sh")
    folder = Path(os.path.realpath(tempfile.gettempdir())) / new_name()
    project = folder / "project"
    project.mkdir(parents=True)
    folder.chmod(0o755)
    view = View(project, python, OURS / "tools", None, Path("/tmp"), HOME)  # noqa: S108 - a private one
    stage = folder / "stage"
    stage.mkdir()
    built = Walls(isolation, view, maps_users, stage, project, None, Needs((), ()))
    limits = Limits(timeout_s=_TRYING_S)
    try:
        with Sandbox(
            limits, Limiter(limits, as_root=False, backends=(limiting.AFFINITY,)), built, folder
        ) as box:
            process = box.launch(["/bin/sh", "-c", f"exit {_ANSWER}"], {}, stderr=subprocess.PIPE)
            said = process.communicate(timeout=_TRYING_S)[1]
            return (
                None
                if process.returncode == _ANSWER
                else said[:300].decode("utf-8", "replace").strip() or "no answer"
            )
    except (Refused, OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
