"""Tiny workers as processes that a test may kill, freeze and wake, on one database."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from written_delivery import write_delivery

from app.clock import SystemClock
from app.settings import Settings
from app.store import tasks
from app.store import workers as workers_table
from app.store.session import open_engine, open_inbox, read_only, unit_of_work
from app.store.tasks import Task, TaskState

SCRIPT = Path(__file__).with_name("tiny_worker.py")
Process = subprocess.Popen[bytes]
DONE = {"record_run": 1, "fetch": 1, "judge": 1}


class Workers:
    """Starts tiny workers on one data folder and looks at what they left."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder = settings.data_dir
        self.folder.mkdir(exist_ok=True)
        self.running: list[Process] = []
        self.store: Engine = open_engine(settings.app_database_url)
        self.inbox: Engine = open_inbox(settings.inbox_database_url)
        with unit_of_work(self.store) as session:
            columns = "stage TEXT, delivery TEXT, times INTEGER, PRIMARY KEY (stage, delivery)"
            session.execute(text(f"CREATE TABLE effects ({columns})"))

    def start(self) -> Process:
        environment = self.settings.as_environment()
        with (self.folder / "log").open("ab") as log:
            worker = subprocess.Popen([sys.executable, SCRIPT, self.folder], env=environment, stderr=log)
        self.running.append(worker)
        return worker

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def kill(self, worker: Process) -> None:
        worker.kill()
        worker.wait(timeout=10)

    def stop(self, worker: Process) -> int:
        worker.terminate()
        return worker.wait(timeout=30)

    def freeze(self, worker: Process) -> None:
        worker.send_signal(signal.SIGSTOP)

    def wake(self, worker: Process) -> None:
        worker.send_signal(signal.SIGCONT)

    def end(self) -> None:
        for worker in self.running:
            worker.kill()  # of a frozen one too
            worker.wait()
        self.store.dispose()
        self.inbox.dispose()

    def deliver(self, *guids: str) -> None:
        for guid in guids:
            write_delivery(self.inbox, guid, at=SystemClock().now())

    def starts(self) -> list[str]:
        path = self.folder / "starts"
        return path.read_text().splitlines() if path.exists() else []

    def effects(self, guid: str) -> dict[str, int]:
        with read_only(self.store) as session:
            rows = session.execute(
                text("SELECT stage, times FROM effects WHERE delivery = :guid"), {"guid": guid}
            )
            return {row.stage: row.times for row in rows}

    def states(self) -> dict[TaskState, int]:
        with read_only(self.store) as session:
            return tasks.counts(session)

    def task(self, key: str) -> Task:
        with read_only(self.store) as session:
            found = tasks.by_key(session, key)
        assert found is not None
        return found

    def tries(self) -> dict[str, tuple[int, int]]:
        """By key, how often each task was begun, and how often that was because its worker had ended."""
        with read_only(self.store) as session:
            found = tasks.newest(session, state=None, limit=10_000)
        return {one.key: (one.total_tries, one.interrupted) for one in found}

    def pids(self) -> list[int]:
        """Of the workers that have a lease."""
        with read_only(self.store) as session:
            return [one.worker.pid for one in workers_table.leases(session)]

    def runner_of(self, key: str) -> Process:
        """The process that began the task's last try."""
        with read_only(self.store) as session:
            by_name = {one.worker.executor: one.worker.pid for one in workers_table.leases(session)}
        pid = by_name[self.task(key).executor or ""]
        return next(one for one in self.running if one.pid == pid)

    def rely_on(self, worker: Process) -> None:
        """From now on nothing can come to be once this one has ended."""
        self.running.remove(worker)
        self.running.append(worker)

    def until(self, holds: Callable[[], bool], *, within_s: float = 60) -> None:
        """Wait for the last worker's doing, which no event of ours announces."""
        worker, pause = self.running[-1], threading.Event()
        deadline_s = time.monotonic() + within_s
        while not holds():
            if worker.poll() is not None or time.monotonic() > deadline_s:
                pytest.fail(f"it never came to be: {self.states()}\n{self.log()[-5000:]}")
            pause.wait(0.02)

    def go_on(self) -> None:
        (self.folder / "go on").touch()
