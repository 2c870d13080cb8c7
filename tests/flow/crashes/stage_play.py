"""The short story told to two processes, web and worker, that may be killed or run out of disk."""

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
from moments import DONE, LOG, ORDER
from nursery import Nursery, Process
from pydantic import SecretStr
from short_story import ShortStory
from sqlalchemy import Engine, select
from stored_facts import Facts, github_facts, stored_facts, whatever_came_first

from app.settings import Settings
from app.standin.server import StandIn
from app.standin.webhooks import Letter, Mailbox
from app.store.inbox import DeliveryRow
from app.store.repos import RepoRow
from app.store.runs import AttemptRow, RunRow
from app.store.session import read_only
from app.store.tasks import TaskRow
from worker.quiet import Quiet

WITHIN_S = 60.0
LINGERS_S = 15.0
"""Longer than anything that is done by the clock takes to come round."""
PAUSE_S = 0.01
SECRET = "the crash tests' webhook secret"

_OF_ATTEMPT = re.compile(r"(^(?:fetch|read|group|lint|judge):|:after:)(\d+)")
_OF_REPO = re.compile(r"(^(?:comment|alert):)(\d+)")
"""Row ids in the keys of tasks."""

Disturb = Callable[[int], None]
"""Called before each chapter with its number; before the first one no process runs yet."""


class Service:
    """Web and worker on one data folder; the one that was killed as ordered is started again, once."""

    def __init__(self, nursery: Nursery, settings: Settings) -> None:
        self.settings, self.folder = settings, settings.data_dir
        self._nursery = nursery
        self._running: dict[str, Process] = {}
        self._restarts = 0

    def start(self, *names: str) -> None:
        for name in names:
            self._running[name] = self._nursery.start(name, self.folder, self.settings)

    def order_kill(self, moment: str) -> None:
        """Have the first process that passes this moment killed there."""
        (self.folder / ORDER).write_text(moment)

    @property
    def is_struck(self) -> bool:
        return (self.folder / DONE).exists()

    def moments(self) -> list[str]:
        """All that were passed until now, in order."""
        log = self.folder / LOG
        return log.read_text().splitlines() if log.exists() else []

    def revive(self) -> None:
        for name, process in list(self._running.items()):
            if not process.is_alive:
                self._restarts += 1
                assert self.is_struck, f"{name} ended by itself: {self.told()[-3000:]}"
                assert self._restarts == 1, f"{name} ended again by itself: {self.told()[-3000:]}"
                process.close()
                self.start(name)

    def end(self) -> None:
        for process in self._running.values():
            process.kill()
            process.close()

    def told(self) -> str:
        log = self.folder / "service.log"
        return log.read_text(errors="replace") if log.exists() else ""


class Postman(Mailbox):
    """Sends again what was not taken, as a person does who presses "Redeliver"."""

    def __init__(self, standin: StandIn, service: Service, *, url: str) -> None:
        super().__init__(standin, url=url, secret=SECRET)
        self._service = service
        self.refused = 0
        """Answers 503."""

    def insist(self, letter: Letter) -> None:
        deadline_s, pause = time.monotonic() + WITHIN_S, threading.Event()
        while not self._is_taken(letter):
            self._service.revive()
            assert time.monotonic() < deadline_s, f"nobody takes deliveries: {self._service.told()[-3000:]}"
            pause.wait(PAUSE_S)

    def _is_taken(self, letter: Letter) -> bool:
        try:
            (status,) = self.send(letter)
        except httpx.TransportError:
            return False
        self.refused += status == httpx.codes.SERVICE_UNAVAILABLE
        assert status in {200, 202, 503}
        return status != httpx.codes.SERVICE_UNAVAILABLE


@dataclass(slots=True)
class Play:
    standin: StandIn
    service: Service
    quiet: Quiet
    postman: Postman
    story: ShortStory

    def run(
        self, disturb: Disturb = lambda _chapter: None, until: Callable[[], bool] = lambda: True
    ) -> tuple[Facts, list[list[str]]]:
        """What is known at the end, and the moments that were passed in each chapter.

        The end is put off for what `until` waits for, though not for ever.
        """
        begins = []
        for number, chapter in enumerate(self.story.chapters):
            begins.append(len(self.service.moments()) if number else 0)
            disturb(number)
            if number == 0:
                self.service.start("web", "worker")
            for letter in chapter():
                self.postman.insist(letter)
            self._await_quiet()
        self._linger(until)
        moments = self.service.moments()
        ends = [*begins[1:], len(moments)]
        return self._facts(), [moments[begin:end] for begin, end in zip(begins, ends, strict=True)]

    def _linger(self, until: Callable[[], bool]) -> None:
        deadline_s, pause = time.monotonic() + LINGERS_S, threading.Event()
        while not until() and time.monotonic() < deadline_s:
            pause.wait(PAUSE_S)
        self._await_quiet()

    def _await_quiet(self) -> None:
        deadline_s, pause = time.monotonic() + WITHIN_S, threading.Event()
        while not self.quiet.is_quiet():
            self.service.revive()
            assert time.monotonic() < deadline_s, f"still at work: {self.service.told()[-3000:]}"
            pause.wait(PAUSE_S)
        self.service.revive()
        self.quiet.wait(within_s=WITHIN_S)

    def _facts(self) -> Facts:
        facts = stored_facts(self.quiet.store) | github_facts(self.standin)
        return whatever_came_first(facts) | queue_facts(self.quiet.store, self.quiet.inbox)


def queue_facts(store: Engine, inbox: Engine) -> Facts:
    """Each delivery and each task with how it ended; how often one was tried depends on what went wrong."""
    delivered = select(DeliveryRow.guid, DeliveryRow.event, DeliveryRow.action, DeliveryRow.state)
    with read_only(inbox) as session:
        deliveries = sorted(" ".join(map(str, row)) for row in session.execute(delivered))
    with read_only(store) as session:
        rows = session.execute(select(TaskRow.key, TaskRow.stage, TaskRow.state)).all()
        runs = select(AttemptRow.id, RunRow.github_id, AttemptRow.number).join(RunRow)
        attempts = {key: f"<run {run}, attempt {number}>" for key, run, number in session.execute(runs)}
        repos = {key: f"<{name}>" for key, name in session.execute(select(RepoRow.id, RepoRow.full_name))}
    keys = [(_named(_named(key, _OF_ATTEMPT, attempts), _OF_REPO, repos), *how) for key, *how in rows]
    return {"deliveries": deliveries, "tasks": sorted(" ".join(row) for row in keys)}


def _named(key: str, pattern: re.Pattern[str], names: Mapping[int, str]) -> str:
    """A number that is given to a row and rolled back is not given out again by every database."""
    return pattern.sub(lambda found: f"{found[1]}{names[int(found[2])]}", key)


@contextmanager
def play(nursery: Nursery, given: Settings) -> Iterator[Play]:
    """A stand-in and a service that is not started yet, on a migrated store and its data folder."""
    folder = given.data_dir
    with StandIn.start() as standin:
        port = nursery.listen(folder)
        own = {
            "port": port,
            "public_url": "https://triage.example",
            "keep_failures_days": 36_500,  # the story is as old as its constant dates
            "webhook_secret": SecretStr(SECRET),
            "github_api_url": standin.api_url,
            "github_token": SecretStr(standin.state.token),
            "allow_private_downloads": True,
            "poll_interval_s": 0.02,
            "retry_base_s": 0.1,
            "reconcile_s": 1.0,
        }
        settings = Settings.model_validate(given.model_dump() | own)
        service, quiet = Service(nursery, settings), Quiet.of(settings)
        postman = Postman(standin, service, url=f"http://127.0.0.1:{port}/webhooks/github")
        try:
            yield Play(standin, service, quiet, postman, ShortStory(standin.state, postman))
        finally:
            service.end()
            quiet.close()
            nursery.close(folder)
