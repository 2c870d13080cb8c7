"""What stands around the suspect: the order for the process that puts it up, by way of isolation."""

import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from worker.replay.limits import Limits
from worker.replay.sandbox import bubblewrap
from worker.replay.sandbox.enter.order import Order
from worker.replay.sandbox.interpreter import Needs
from worker.replay.sandbox.limiting import OnEntry
from worker.replay.sandbox.root_plan import MAPPED_USER, USER, etc_files, plan_of, without_credentials
from worker.replay.sandbox.seccomp import filter_program
from worker.replay.sandbox.view import View

HOSTNAME: Final = "sandbox"
NONE: Final = "none"
UNSHARE: Final = "unshare"
_GIT_CONFIG_BYTES: Final = 1 << 20
_NOTHING: Final = Needs((), ())


@dataclass(slots=True)
class Walls:
    """Of one sandbox. `stage` is an empty folder of ours, `journal` the folder outside."""

    isolation: str
    view: View
    maps_users: bool = False
    stage: Path = Path()
    tools: Path = Path()
    journal: Path | None = None
    needs: Needs = _NOTHING
    left_out: tuple[Path, ...] = ()
    notes: list[str] = field(default_factory=list)

    @property
    def user(self) -> int:
        return MAPPED_USER if self.maps_users else USER

    def order(
        self, argv: Sequence[str], env: Mapping[str, str], entry: OnEntry, limits: Limits
    ) -> tuple[Order, list[int]]:
        """The order, and descriptors that it names, to be handed on and closed."""
        limited = Order(
            parent=os.getpid(),
            argv=tuple(argv),
            env=dict(env),
            cwd=str(self.view.project),
            joins=tuple(str(join) for join in entry.joins),
            resources=entry.resources,
            cores=entry.cores,
        )
        return (limited, []) if self.isolation == NONE else self._walled(limited, limits)

    def for_prefix(self) -> dict[str, str]:
        """What a user's systemd is found by; the entering process gives none of it on."""
        return {"XDG_RUNTIME_DIR": f"/run/user/{os.geteuid()}"}

    def swept_journal(self) -> tuple[str, ...]:
        """Remove from the journal folder what is no plain file: its readers follow and wait for nothing."""
        if self.journal is None or self.isolation == NONE:
            return ()
        odd = []
        for path, folders, files in os.walk(self.journal):
            odd += [Path(path, name) for name in (*folders, *files) if not _is_plain(Path(path, name))]
        for one in odd:
            with suppress(OSError):
                one.unlink()
        links = [one for one in odd if not one.name.endswith(".ask")]
        return (f"{len(links)} links or sockets were removed from the journal folder.",) if links else ()

    def _walled(self, limited: Order, limits: Limits) -> tuple[Order, list[int]]:
        steps = plan_of(self.view, self.needs, stage=self.stage, tools=self.tools, journal=self.journal)
        extra: list[int] = []
        argv: Sequence[str] = limited.argv
        if self.isolation == bubblewrap.NAME:
            extra = _filter()
            argv = bubblewrap.command(
                argv,
                steps,
                cwd=str(self.view.project),
                hostname=HOSTNAME,
                user=self.user,
                maps_users=self.maps_users,
                filter_descriptor=extra[0] if extra else None,
            )
        project = self.view.project
        laid_over = (*self.needs.folders, self.stage, *self.left_out)
        return Order(
            parent=limited.parent,
            argv=tuple(argv),
            env=limited.env,
            cwd="/" if self.isolation == bubblewrap.NAME else limited.cwd,
            joins=limited.joins,
            resources=limited.resources,
            cores=limited.cores,
            isolation=self.isolation,
            maps_users=self.maps_users,
            uid=self.user,
            gid=self.user,
            stage=str(self.stage),
            disk_bytes=limits.disk_bytes,
            project=str(project),
            git_config=_clean_git_config(project),
            left_out=tuple(str(one) for one in laid_over if one.is_relative_to(project)),
            ports=limits.ports,
            plan=tuple((one.what, one.source, one.target) for one in steps),
            etc=etc_files(self.user, self.user),
            hostname=HOSTNAME,
        ), extra


def _filter() -> list[int]:
    program = filter_program()
    if program is None:
        return []
    descriptor = os.memfd_create("filter")
    os.write(descriptor, program)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return [descriptor]


def _clean_git_config(project: Path) -> str | None:
    """Of a checkout that has one itself; a work tree's is elsewhere, and is not bound."""
    path = project / ".git" / "config"
    with suppress(OSError):
        if (project / ".git").is_symlink() or path.is_symlink() or not path.is_file():
            return None
        with path.open(encoding="utf-8", errors="replace") as file:
            return without_credentials(file.read(_GIT_CONFIG_BYTES))
    return None


def _is_plain(path: Path) -> bool:
    with suppress(OSError):
        mode = path.lstat().st_mode
        return stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    return True
