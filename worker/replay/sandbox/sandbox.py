"""One trial's sandbox: everything that is started in it is limited and kept away, and goes with it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, Self

import worker
from worker.replay.facts import Survivor
from worker.replay.limits import Held, Limits, Usage
from worker.replay.sandbox import records
from worker.replay.sandbox.enter.__main__ import REFUSED
from worker.replay.sandbox.limiting import Limiter
from worker.replay.sandbox.refused import Refused
from worker.replay.sandbox.survivors import described, listening_here, listening_ports
from worker.replay.sandbox.view import View
from worker.replay.sandbox.walls import NONE, Walls
from worker.replay.trial import Cleanup

_SOURCE: Final = Path(worker.__file__).parents[1]
_ENDING_S: Final = 10.0


class Sandbox:
    """Made by `open_sandbox`; leave it with `destroy`, or as a context manager.

    Launch from a thread that lives as long as the trial: what is started dies with the thread that
    started it, which is how a killed engine leaves nothing behind.
    """

    def __init__(self, limits: Limits, limiter: Limiter, walls: Walls, folder: Path) -> None:
        self.view: View = walls.view
        self._limits = limits
        self._limiter = limiter
        self._walls = walls
        self._folder = folder
        self._record = records.Record(limiter.name, folder, [join.parent for join in limiter.on_entry.joins])
        self._started: list[subprocess.Popen[bytes]] = []
        self._usage = Usage()
        self._cleanup: Cleanup | None = None

    @property
    def held(self) -> Held:
        """What the limits and walls are worth here; for a resource that nobody asked to limit, would be."""
        limiter = self._limiter
        notes = (*limiter.notes, *self._walls.notes)
        return Held(limiter.by, limiter.cpus, limiter.memory, limiter.processes, self._walls.isolation, notes)

    def launch(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        *,
        stdout: IO[bytes] | int = subprocess.DEVNULL,
        stderr: IO[bytes] | int = subprocess.DEVNULL,
        stdin: IO[bytes] | int = subprocess.DEVNULL,
        pass_fds: Sequence[int] = (),
    ) -> subprocess.Popen[bytes]:
        """Start a command in namespaces and a project copy of its own, under the sandbox's limits.

        Paths are as in `view`; argv[0] is absolute; the environment is `env` as `view.environment` allows
        it. Returns once the walls stand, with the outermost process: it ends as the command does, 128 and
        the number for a signal. Refused where they could not be put up.
        """
        if self._cleanup is not None:
            raise RuntimeError("the sandbox is destroyed")
        given, extra = self._walls.order(
            argv, self.view.environment(env), self._limiter.on_entry, self._limits
        )
        order = given.to_descriptor()
        said, report = os.pipe2(os.O_CLOEXEC)
        try:
            process = self._start(order, report, stdin, stdout, stderr, [*pass_fds, *extra])
        finally:
            for descriptor in (order, report, *extra):
                os.close(descriptor)
        self._started.append(process)
        with open(said, encoding="utf-8", errors="replace") as trouble:  # noqa: PTH123 - a descriptor
            text = trouble.read(4000)
        if text or process.poll() == REFUSED:
            process.kill()
            process.wait()
            raise Refused(
                f"The walls of the sandbox do not stand: {text or 'the first process did not start'}."
            )
        self._limiter.started(process.pid)
        self._record.add(process.pid)
        return process

    def usage(self) -> Usage:
        """So far; after `destroy` the last figures."""
        return self._usage if self._cleanup is not None else self._limiter.usage()

    def members(self) -> list[int]:
        """Our own numbers of all living processes of the tree, those of the walls included."""
        return self._limiter.members()

    def survivors(self) -> list[Survivor]:
        """What still lives, by its number inside, without the processes of the walls themselves.

        Of a tree in namespaces ask its own supervisor: what is asked here after its end is nothing.
        """
        return described(self._limiter.members(), self._walls.isolation)

    def freeze(self) -> bool:
        """Hold everything still, the supervisor inside too."""
        return self._limiter.freeze()

    def thaw(self) -> None:
        self._limiter.thaw()

    def kill(self) -> None:
        """End the tree at once; what it wrote and counted is still there."""
        self._limiter.kill()

    def destroy(self) -> Cleanup:
        """End everything, remove everything, and look whether that is so. Idempotent."""
        if self._cleanup is not None:
            return self._cleanup
        ports = listening_ports(self._limiter.members()) if self._walls.isolation == NONE else set()
        self._usage = self._limiter.usage()
        self.kill()
        for process in self._started:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_ENDING_S)
        processes, groups = self._limiter.remove()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._record.drop()
        self._cleanup = Cleanup(
            processes=processes,
            groups=groups,
            mounts=records.mounts_below(self._folder),
            ports=len(listening_here() & ports),
            paths=int(self._folder.exists()),
            notes=self._walls.swept_journal(),
        )
        return self._cleanup

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()

    def _start(
        self,
        order: int,
        report: int,
        stdin: IO[bytes] | int,
        stdout: IO[bytes] | int,
        stderr: IO[bytes] | int,
        pass_fds: Sequence[int],
    ) -> subprocess.Popen[bytes]:
        # Without `site`, which costs as much as all the rest; our own code needs nothing of it.
        ours = [sys.executable, "-S", "-P", "-m", "worker.replay.sandbox.enter", str(order), str(report)]
        return subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [*self._limiter.on_entry.prefix, *ours],
            env={"PYTHONPATH": str(_SOURCE), "PATH": os.defpath, **self._walls.for_prefix()},
            cwd="/",
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=[*pass_fds, order, report],
            start_new_session=True,
        )
