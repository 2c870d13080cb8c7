"""`serve`: web and worker as two processes, restarted when they end, stopped together."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import structlog

from app.settings import PREFIX, Settings, WrongSettings
from worker import listening, says

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
STEADY_S = 30.0
"""A child that ran this long starts again without a longer pause."""

LOOK_S = 0.1
PR_SET_PDEATHSIG = 1  # linux/prctl.h
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Child:
    """A process that should run. `failures` counts ends in a row that came too soon.

    One that ends with the code for wrong use is `refused`: its settings are wrong, and no restart helps.
    """

    name: str
    command: Sequence[str]
    inherits: tuple[int, ...] = ()
    environment: Mapping[str, str] | None = None
    process: subprocess.Popen[bytes] | None = None
    started_s: float = 0.0
    start_again_s: float = 0.0
    failures: int = 0
    refused: bool = False

    def start(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - the command is the supervisor's own
            self.command,
            env=self.environment,
            pass_fds=self.inherits,
            process_group=0,  # Ctrl-C reaches the supervisor only, which then stops both in order
            preexec_fn=_die_with_parent,  # noqa: PLW1509 - the supervisor has one thread, so forking is safe
        )
        self.started_s = time.monotonic()

    def look(self) -> None:
        """Start it when it is time; when it has ended, note when that is."""
        now_s = time.monotonic()
        if self.process is None:
            if now_s >= self.start_again_s:
                self.start()
            return
        status = self.process.poll()
        if status is None:
            return
        self.process = None
        if status == says.WRONG_USE:
            self.refused = True
            log.error("process cannot run with these settings", process=self.name)
            return
        self.failures = 0 if now_s - self.started_s >= STEADY_S else self.failures + 1
        pause_s = min(FIRST_PAUSE_S * 2.0 ** min(self.failures - 1, 10), LONGEST_PAUSE_S)
        self.start_again_s = now_s + pause_s
        log.warning("process ended and is started again", process=self.name, status=status, pause_s=pause_s)

    def ask_to_stop(self) -> None:
        if self.process is not None:
            self.process.terminate()

    def end(self, *, grace_s: float) -> None:
        if self.process is None:
            return
        try:
            self.process.wait(timeout=grace_s)
        except subprocess.TimeoutExpired:
            log.warning("process did not stop in time and is killed", process=self.name)
            self.process.kill()
            self.process.wait()


class Supervisor:
    """With `parent`, the service ends when that process is gone: it belongs to it.

    Raises WrongSettings for more than one of `workers` on SQLite.
    """

    def __init__(
        self, settings: Settings, *, workers: int = 1, as_json: bool = False, parent: int | None = None
    ) -> None:
        if workers > 1 and not settings.on_postgres:
            told = f"one worker has SQLite's files for itself; for more, set {PREFIX}DATABASE_URL"
            raise WrongSettings("--workers", told)
        self._settings = settings
        self._workers = workers
        self._as_json = as_json
        self._parent = parent
        self._is_asked_to_stop = False
        """A plain flag: the lock of an event may be held by the very thread that a signal interrupts."""

    def run(self) -> int:
        """Supervise until SIGTERM or SIGINT; return the exit code.

        Raises WrongSettings if the door would be open, Unavailable if the port cannot be had.
        """
        self._settings.refuse_open_door()
        with listening.listen(self._settings) as listener, self._signals():
            listening.announce(listener, self._settings, as_json=self._as_json)
            number, environment = listener.fileno(), self._settings.as_environment()
            web = _module("worker.web", str(number))
            children = [
                Child("web", web, inherits=(number,), environment=environment),
                *(
                    Child(name, _module("worker", "worker"), environment=environment)
                    for name in ("worker", *(f"worker {place}" for place in range(2, self._workers + 1)))
                ),
            ]
            try:
                while self._goes_on(children):
                    for child in children:
                        child.look()
                    time.sleep(LOOK_S)
            finally:
                self._end(children)
        return says.WRONG_USE if any(child.refused for child in children) else 0

    def _goes_on(self, children: Sequence[Child]) -> bool:
        is_wanted = not self._is_asked_to_stop and self._parent in {None, os.getppid()}
        return is_wanted and not any(child.refused for child in children)

    def _end(self, children: Sequence[Child]) -> None:
        """Ask all at once; what the web takes while the worker stops waits in the inbox."""
        for child in children:
            child.ask_to_stop()
        deadline_s = time.monotonic() + self._settings.stop_timeout_s + 5
        for child in children:
            child.end(grace_s=max(0.0, deadline_s - time.monotonic()))
        log.info("stopped")

    @contextmanager
    def _signals(self) -> Iterator[None]:
        def ask_to_stop(_number: int, _frame: object) -> None:
            self._is_asked_to_stop = True

        former = {number: signal.signal(number, ask_to_stop) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)


def _module(*arguments: str) -> Sequence[str]:
    return [sys.executable, "-m", *arguments]


def _die_with_parent() -> None:
    """Between fork and exec: have the kernel send SIGTERM when the supervisor is gone, however it went."""
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
