"""One play of incident 1 with the service as two processes that may be killed: web and worker."""

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx
from pydantic import SecretStr
from stored_facts import Facts, github_facts, stored_facts, whatever_came_first

from app.settings import Settings
from app.standin.faults import Fault
from app.standin.server import StandIn
from app.standin.webhooks import Letter, Mailbox
from app.store.session import open_engine
from worker.demo import facts
from worker.demo.play import Player
from worker.demo.service import SECRET, settings_for
from worker.demo.stage_set import StageSet
from worker.quiet import Quiet

BEGINS_AT = datetime(2026, 1, 5, 6, tzinfo=UTC)
"""Constant, so that two plays can be compared to the letter."""

SENT_AGAIN_WITHIN_S = 30.0
PAUSE_S = 0.02

Name = str
"""`web` or `worker`."""


class Processes:
    """The service without its supervisor, so that a test decides who dies and when."""

    def __init__(self, settings: Settings, log: Path) -> None:
        self._settings, self._log = settings, log
        self._running: dict[Name, subprocess.Popen[bytes]] = {}

    def start(self, name: Name) -> None:
        with self._log.open("ab") as log:
            self._running[name] = subprocess.Popen(
                [sys.executable, "-m", "worker", name],
                env=self._settings.as_environment(),
                stdout=log,
                stderr=log,
            )

    def freeze(self, name: Name) -> None:
        self._running[name].send_signal(signal.SIGSTOP)

    def kill(self, name: Name) -> None:
        """Like the end of a machine: nothing of it runs on when this returns."""
        process = self._running[name]
        assert process.poll() is None, f"{name} had ended by itself: {self._log.read_text()}"
        process.kill()
        assert process.wait(timeout=10) == -signal.SIGKILL

    def stop(self) -> list[int]:
        """Exit codes after a request to stop."""
        for process in self._running.values():
            process.terminate()
        return [process.wait(timeout=30) for process in self._running.values()]


class Postman(Mailbox):
    """Sends again what did not arrive, as a person does who presses "Redeliver"."""

    def __init__(self, world: "World", *, url: str) -> None:
        super().__init__(world.standin, url=url, secret=SECRET)
        self._world = world

    def send(self, letter: Letter, *, times: int = 1) -> list[int]:
        point = self._world.point
        if point is not None and point.posts is not None and not self._world.struck and _is_the_one(letter):
            point.posts(self._world, letter)
            self._world.struck = True
        return self.insist(letter, times=times)

    def insist(self, letter: Letter, *, times: int = 1) -> list[int]:
        deadline_s = time.monotonic() + SENT_AGAIN_WITHIN_S
        pause = threading.Event()
        while True:
            try:
                return super().send(letter, times=times)
            except httpx.TransportError:
                assert time.monotonic() < deadline_s, "nobody takes deliveries"
                pause.wait(PAUSE_S)


def _is_the_one(letter: Letter) -> bool:
    """The end of the push run: the delivery around which processes are killed."""
    is_end = letter.event == "workflow_run" and b'"action": "completed"' in letter.body
    return is_end and f'"id": {facts.PUSH_RUN},'.encode() in letter.body


@dataclass(slots=True)
class Watched(Quiet):
    """Looks for the moment to strike whenever it looks whether the service is quiet."""

    look: Callable[[], None]

    def is_quiet(self) -> bool:
        self.look()
        return super(Watched, self).is_quiet()


@dataclass(frozen=True, slots=True)
class Point:
    """A moment of the story: `when` is looked for until it comes, `proof` must hold of what death left.

    A point about a delivery sends it in its own way instead (`posts`), and proves its moment there.
    """

    name: str
    victim: Name
    faults: tuple[tuple[str, str, Fault], ...] = ()
    when: Callable[["World"], bool] | None = None
    proof: Callable[["World"], bool] | None = None
    posts: Callable[["World", Letter], None] | None = None
    poll_interval_s: float = 0.1
    """The longer, the longer what is queued waits."""


@dataclass(slots=True)
class World:
    """What a point may look at. `struck` is true once the victim is dead and the proof held."""

    standin: StandIn
    settings: Settings
    processes: Processes
    point: Point | None
    quiet: Quiet = field(init=False)
    postman: "Postman" = field(init=False)
    struck: bool = False

    def __post_init__(self) -> None:
        store = open_engine(self.settings.app_database_url)
        inbox = open_engine(self.settings.inbox_database_url)
        self.quiet = Watched(store, inbox, self._strike_in_time)
        url = f"http://127.0.0.1:{self.settings.port}/webhooks/github"
        self.postman = Postman(self, url=url)

    def _strike_in_time(self) -> None:
        point = self.point
        if point is None or point.when is None or self.struck or not point.when(self):
            return
        self.processes.kill(point.victim)
        assert point.proof is not None
        assert point.proof(self), f"{point.victim} was not killed {point.name}"
        self.struck = True
        self.processes.start(point.victim)

    def play(self) -> Facts:
        """The whole story; returns what the service and GitHub know at its end."""
        story = facts.story()
        stage = StageSet(self.standin.state, story, begins_at=BEGINS_AT)
        stage.build()
        for method, path, fault in self.point.faults if self.point else ():
            self.standin.state.faults.inject(path, fault, method=method)
        Player(self.standin, self.postman, stage, self.quiet, tell=lambda _words: None).play(story)
        return whatever_came_first(stored_facts(self.quiet.store) | github_facts(self.standin))


@contextmanager
def world(folder: Path, point: Point | None = None) -> Iterator[World]:
    """A stand-in and both processes on a migrated data folder."""
    with StandIn.start() as standin:
        known = settings_for(
            folder, api_url=standin.api_url, github_url="https://github.com", token=standin.state.token
        )
        settings = Settings.model_validate(
            known.model_dump()
            | {
                "port": _free_port(),
                "public_url": "https://triage.example",
                "keep_failures_days": 36_500,  # the story is as old as its constant dates
                "github_token": SecretStr(standin.state.token),
                "poll_interval_s": 0.1 if point is None else point.poll_interval_s,
            }
        )
        processes = Processes(settings, folder.parent / "service.log")
        made = World(standin, settings, processes, point)
        for name in ("web", "worker"):
            processes.start(name)
        try:
            yield made
        finally:
            codes = processes.stop()
            made.quiet.close()
    assert codes in ([0, 0], [-signal.SIGTERM, 0]), "the web's server hands the signal on when it is done"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
