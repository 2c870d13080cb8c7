"""Incident 1 on PostgreSQL with a web and workers, of which one is killed or frozen in the middle."""

import contextlib
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx
from pydantic import SecretStr
from stored_facts import Facts, github_facts, stored_facts, whatever_came_first

from app.settings import Settings
from app.standin.faults import slow_answer
from app.standin.server import StandIn
from app.standin.webhooks import Letter, Mailbox
from app.store import tasks, workers
from app.store.session import read_only
from app.store.tasks import TaskState
from worker.demo import facts
from worker.demo.play import Player
from worker.demo.service import SECRET, settings_for
from worker.demo.stage_set import StageSet
from worker.quiet import Quiet

BEGINS_AT = datetime(2026, 1, 5, 6, tzinfo=UTC)
"""Constant, so that two plays can be compared to the letter."""

WORKER = Path(__file__).with_name("short_lease_worker.py")
ANSWERS_AFTER_S = 5.0
"""How long the first comment's answer is under way: its worker is struck meanwhile."""

SENT_AGAIN = 5

Process = subprocess.Popen[bytes]
Strike = Callable[[Process], None]


@dataclass(slots=True)
class Watched(Quiet):
    """Looks for the moment to strike whenever it looks whether the service is quiet."""

    look: Callable[[], None]

    def is_quiet(self) -> bool:
        self.look()
        return super(Watched, self).is_quiet()


class Postman(Mailbox):
    """Sends again what a busy machine did not take in time, as a person does who presses "Redeliver"."""

    def send(self, letter: Letter, *, times: int = 1) -> list[int]:
        for _ in range(SENT_AGAIN):
            with contextlib.suppress(httpx.TransportError):
                return super().send(letter, times=times)
        raise AssertionError("nobody takes deliveries")


@dataclass(slots=True)
class Crew:
    """`strike` is given the worker that has written the first comment and does not know it yet."""

    standin: StandIn
    settings: Settings
    lease_s: float
    strike: Strike | None
    struck: Process | None = None
    quiet: Quiet = field(init=False)
    _running: list[Process] = field(default_factory=list)

    def __post_init__(self) -> None:
        known = Quiet.of(self.settings)
        self.quiet = Watched(known.store, known.inbox, self._look)

    @property
    def log(self) -> Path:
        return self.settings.data_dir / "service.log"

    def start(self, workers: int) -> None:
        self._launch([sys.executable, "-m", "worker", "web"])
        for _ in range(workers):
            self._launch([sys.executable, str(WORKER), str(self.lease_s)])

    def play(self) -> Facts:
        """The whole story; returns what the service and GitHub know at its end."""
        story = facts.story()
        stage = StageSet(self.standin.state, story, begins_at=BEGINS_AT)
        stage.build()
        if self.strike is not None:
            comments = f"/repos/{facts.REPO}/issues/*/comments"
            self.standin.state.faults.inject(comments, slow_answer(ANSWERS_AFTER_S), method="POST")
        url = f"http://127.0.0.1:{self.settings.port}/webhooks/github"
        mailbox = Postman(self.standin, url=url, secret=SECRET)
        Player(self.standin, mailbox, stage, self.quiet, tell=lambda _words: None).play(story)
        return whatever_came_first(stored_facts(self.quiet.store) | github_facts(self.standin))

    def stop(self) -> list[int]:
        """Exit codes, of the web and then of the workers."""
        for process in self._running:
            process.send_signal(signal.SIGCONT)
            process.terminate()
        codes = [process.wait(timeout=60) for process in self._running]
        self.quiet.close()
        return codes

    def _launch(self, command: list[str]) -> None:
        with self.log.open("ab") as log:
            environment = self.settings.as_environment()
            self._running.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))

    def _look(self) -> None:
        if self.strike is None or self.struck is not None or not self.standin.state.talk.comments:
            return
        with read_only(self.quiet.store) as session:
            pids = {one.worker.executor: one.worker.pid for one in workers.leases(session)}
            running = tasks.newest(session, state=TaskState.RUNNING, limit=100)
        (at_it,) = [one for one in running if one.stage == "publish_comment"]
        self.struck = next(one for one in self._running if one.pid == pids[at_it.executor or ""])
        self.strike(self.struck)


@contextmanager
def crew(
    folder: Path, url: str, *, workers: int, lease_s: float, strike: Strike | None = None
) -> Iterator[Crew]:
    """A stand-in, a web and workers on a migrated database; the processes are running."""
    folder.mkdir(exist_ok=True)
    with StandIn.start() as standin:
        known = settings_for(
            folder,
            api_url=standin.api_url,
            github_url="https://github.com",
            token=standin.state.token,
            database=url,
        )
        own = {
            "port": _free_port(),
            "public_url": "https://triage.example",
            "keep_failures_days": 36_500,  # the story is as old as its constant dates
            "github_token": SecretStr(standin.state.token),
        }
        made = Crew(standin, Settings.model_validate(known.model_dump() | own), lease_s, strike)
        made.start(workers)
        try:
            _wait_for_web(made.settings.port)
            yield made
        finally:
            codes = made.stop()
    expected = [] if made.struck is None else [made.struck.returncode]
    assert sorted(set(codes[1:]) - {0}) == expected, made.log.read_text()[-3000:]


def _wait_for_web(port: int) -> None:
    pause = threading.Event()
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=0.1).close()
        except OSError:
            pause.wait(0.1)
        else:
            return
    raise AssertionError("the web does not listen")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
