"""The tests' side of `nursery_process`: start a process on a data folder, see whether it lives, kill it."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from app.settings import Settings


class Process:
    """One that was started; `settings` are those it was given."""

    def __init__(self, name: str, pid: int) -> None:
        self.name, self.pid = name, pid
        self._descriptor = os.pidfd_open(pid)

    @property
    def is_alive(self) -> bool:
        return not select.select([self._descriptor], [], [], 0)[0]

    def kill(self) -> None:
        """Like the end of a machine: nothing of it runs on when this returns."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
        assert select.select([self._descriptor], [], [], 10)[0], f"{self.name} outlives SIGKILL"

    def close(self) -> None:
        os.close(self._descriptor)


class Nursery:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    @classmethod
    @contextmanager
    def open(cls) -> Iterator[Self]:
        script = Path(__file__).with_name("nursery_process.py")
        with subprocess.Popen(
            [sys.executable, script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            assert json.loads(process.stdout.readline()) == "ready"
            yield cls(process)
            process.stdin.close()
            process.wait(timeout=30)

    def listen(self, folder: Path) -> int:
        """A port for the web of this folder; connections wait while no web lives."""
        port: int = self._ask(do="listen", folder=str(folder))
        return port

    def close(self, folder: Path) -> None:
        self._ask(do="close", folder=str(folder))

    def start(self, name: str, folder: Path, settings: Settings) -> Process:
        """`name` is web or worker; what it logs and the moments it passes are kept in the folder."""
        environment = settings.as_environment()
        return Process(name, self._ask(do="start", name=name, folder=str(folder), environment=environment))

    def _ask(self, **what: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())
