"""Incident 1 on PostgreSQL: the same story comes to the same, also where the server restarts within it."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fixtures_postgres import Server, server
from sharing import Share

from app.clock import SystemClock
from app.standin.server import StandIn
from app.standin.webhooks import Mailbox
from app.store import tasks
from app.store.session import read_only
from app.store.tasks import TaskState
from worker.demo import facts
from worker.demo.outcome import collect
from worker.demo.play import Player
from worker.demo.service import SECRET, settings_for
from worker.demo.stage_set import StageSet
from worker.quiet import Quiet
from worker.service import running

DEMO = (sys.executable, "-m", "worker", "demo", "--json", "--exit")
WITHIN_S = 100


def told(*options: str) -> Any:
    ended = subprocess.run([*DEMO, *options], capture_output=True, check=False, timeout=WITHIN_S, text=True)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.fixture
def on_sqlite(share: Share) -> Any:
    """The usual demo's object; made once for all tests that want it, and no two demos at a time."""
    return share("demo", "equal databases", told)


@pytest.fixture
def own_server() -> Iterator[Server]:
    """Not the one that other tests use: it is restarted."""
    with server() as started:
        yield started


def comparable(outcome: Any) -> Any:
    """Without ports, without the moment of the story, and without our own keys in the addresses of pages."""
    text = json.dumps(outcome)
    text = re.sub(r"127\.0\.0\.1:\d+", "HERE", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", "THEN", text)
    return json.loads(re.sub(r"HERE/tests/\d+", "HERE/tests/N", text))


@pytest.mark.timeout(2 * WITHIN_S + 40)
def test_outcome_is_equal_on_both_databases(share: Share, on_sqlite: Any, own_server: Server) -> None:
    url = own_server.new_database(migrated=False)
    on_postgres = share("demo", "postgresql", lambda: told("--database", url))
    assert comparable(on_postgres) == comparable(on_sqlite)


@dataclass(slots=True)
class Restarting(Quiet):
    """Before it waits, it restarts the server: in the middle of the work on what was delivered."""

    server: Server
    interrupted: int = 0

    def wait(self, *, within_s: float) -> None:
        how = "fast" if self.interrupted % 2 else "immediate"
        self.interrupted += self._is_at_work()
        self.server.restart(how=how)
        super(Restarting, self).wait(within_s=within_s)

    def _is_at_work(self) -> bool:
        """Wait until a task runs, if any does."""
        while not self.is_quiet():
            with read_only(self.store) as session:
                if tasks.counts(session).get(TaskState.RUNNING):
                    return True
        return False


@pytest.mark.accept
def test_restarts_of_the_server_lose_nothing_and_double_nothing(
    on_sqlite: Any, own_server: Server, tmp_path: Path
) -> None:
    story = facts.story(base_moved=False, with_history=True)
    with StandIn.start() as standin:
        settings = settings_for(
            tmp_path,
            api_url=standin.api_url,
            github_url=standin.at.html,
            token=standin.state.token,
            database=own_server.new_database(migrated=False),
        )
        with running(settings, log=tmp_path / "service.log", workers=2):
            mailbox = Mailbox(standin, url=f"{settings.dashboard_url}/webhooks/github", secret=SECRET)
            stage = StageSet(standin.state, story, begins_at=SystemClock().now() - facts.LASTS)
            stage.build()
            plain = Quiet.of(settings)
            quiet = Restarting(plain.store, plain.inbox, own_server)
            try:
                Player(standin, mailbox, stage, quiet, tell=lambda _words: None).play(story)
                outcome = comparable(collect(quiet.store, settings, standin, mailbox).plain)
            finally:
                quiet.close()
    expected = comparable(on_sqlite)
    assert quiet.interrupted, "no restart came while a task ran"
    assert outcome["duplicate_effects"] == 0
    assert outcome["comment"]["creates"] == 1
    for edits in (outcome["comment"], expected["comment"]):
        del edits["updates"]  # how many there are depends on how many runs are judged when it is written
    assert outcome == expected
