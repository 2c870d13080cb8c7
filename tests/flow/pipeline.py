"""The whole service in one thread: real web, relay, runner and stages, and a clock that only tests move."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Self

from fastapi import FastAPI
from fixtures_github import ManualClock
from pydantic import SecretStr
from sqlalchemy import func, select
from starlette.testclient import TestClient

from app.deps import Wiring
from app.domain.gap import Gap
from app.domain.policy import VerdictPolicy
from app.domain.verdict import Verdict
from app.github.client import open_http
from app.main import create_app
from app.settings import Settings
from app.standin.server import StandIn
from app.standin.talk import CommentRecord, IssueRecord
from app.standin.webhooks import Letter, Mailbox
from app.store import gaps, outbox, tasks
from app.store.identities import TestRow
from app.store.outbox import Order
from app.store.results import DailyCountRow
from app.store.run_values import StoredAttempt
from app.store.runs import AttemptRow, RunRow, attempt, attempts_at
from app.store.session import read_only
from app.store.tasks import Task, TaskState
from worker.deps import Deps, Payload
from worker.github_access import open_github
from worker.queue.relay import Relay
from worker.queue.retry import RetryPolicy
from worker.queue.runner import TaskRunner
from worker.report_lines import FailureLine, current_executions, failure_lines
from worker.stages import PIPELINE

FOR_EVER = datetime(9999, 1, 1, tzinfo=UTC)

Choose = Callable[[Sequence[Order]], int]
"""Which of the waiting orders is next."""


def first(_orders: Sequence[Order]) -> int:
    return 0


@dataclass(slots=True)
class Pipeline:
    """Everything but the engine: `drain` takes its place and runs one order after the other."""

    deps: Deps
    stand_in: StandIn
    clock: ManualClock
    web: TestClient
    mailbox: Mailbox
    orders: list[Order] = field(default_factory=list)
    tries: list[str] = field(default_factory=list)
    """The stages that were run, in order."""

    def deliver(self, *runs: int, attempt: int | None = None) -> Self:
        """Tell the service by webhook that these runs are completed."""
        for run in runs:
            self.send(self.mailbox.workflow_run(run, "completed", attempt=attempt))
        return self

    def send(self, letter: Letter) -> int:
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": letter.event,
            "X-GitHub-Delivery": letter.guid,
        }
        return self.web.post("/webhooks/github", content=letter.body, headers=headers).status_code

    def drain(self, *, choose: Choose = first, twice: bool = False) -> Self:
        """Run orders until there are none, moving the clock to the next one that waits.

        With `twice`, each stage that ran is run again at once, as if its end had not been recorded.
        """
        threads_wake = threading.Event()
        relay = Relay(
            store=self.deps.store,
            inbox=self.deps.inbox,
            enqueue=self._enqueue,
            clock=self.clock,
            poll_interval_s=0,
            wake=threads_wake,
        )
        policy = RetryPolicy(max_tries=self.deps.settings.max_tries, base_s=self.deps.settings.retry_base_s)
        runner = TaskRunner(self.deps, PIPELINE, policy, after_try=threads_wake.set)
        while relay.turn() or self.orders or self._skip_to_next():
            if self.orders:
                order = self.orders.pop(choose(self.orders))
                runner.run_try(order.key, order.number)
                self.tries.append(order.stage)
                if twice and self.task(order.key).state is TaskState.DONE:
                    self.run_again(order.stage, order.payload)
        return self

    def run_again(self, stage: str, payload: Payload) -> None:
        """Run a stage as if the end of its last try had not been recorded."""
        PIPELINE[stage].handler(self.deps, payload)

    def publish_again(self, run: int) -> None:
        """Run the last stages of a run's pull request, or of the branch that it tested, once more."""
        told = self.attempt(run)
        if told.pull is None:
            self.run_again("publish_alert", {"schema": 1, "repo": told.repo, "branch": told.head_branch})
        else:
            self.run_again("publish_comment", {"schema": 1, "repo": told.repo, "pull": told.pull})

    def _enqueue(self, order: Order) -> bool:
        self.orders.append(order)
        return True

    def _skip_to_next(self) -> bool:
        """Go to the time of the next order that waits for it; False if none does."""
        with read_only(self.deps.store) as session:
            times = [order.run_after for order in outbox.waiting(session, now=FOR_EVER, limit=1000)]
        coming = [at for at in times if at is not None]
        if coming:
            self.clock.at = max(self.clock.at, min(coming))
        return bool(coming)

    def task(self, key: str) -> Task:
        with read_only(self.deps.store) as session:
            found = tasks.by_key(session, key)
        assert found is not None, f"no task {key}"
        return found

    def dead(self) -> list[str | None]:
        """The errors of the tasks that were given up."""
        with read_only(self.deps.store) as session:
            return [task.error for task in tasks.newest(session, state=TaskState.DEAD, limit=100)]

    def attempt(self, run: int, number: int = 1) -> StoredAttempt:
        key = (
            select(AttemptRow.id)
            .join(RunRow, RunRow.id == AttemptRow.run_id)
            .where(RunRow.github_id == run, AttemptRow.number == number)
        )
        with read_only(self.deps.store) as session:
            return attempt(session, session.scalars(key).one())

    def lines(self, run: int) -> dict[str, FailureLine]:
        """The judged failures of a run's current jobs, by test; one without a test under the empty name."""
        of_run = self.attempt(run)
        with read_only(self.deps.store) as session:
            found = [one for one in attempts_at(session, of_run.repo, of_run.head_sha) if one.run == run]
            told = failure_lines(session, current_executions(session, found))
        assert len({line.test for line in told}) == len(told), "a test failed in several jobs"
        return {line.test: line for line in told}

    def verdict(self, run: int, test: str) -> Verdict:
        return self.lines(run)[test].verdict

    def gaps(self, run: int, number: int = 1) -> list[Gap]:
        key = self.attempt(run, number).id
        with read_only(self.deps.store) as session:
            return sorted(gap for _, gap in gaps.of_attempts(session, [key])[key])

    def counted(self, label: str) -> tuple[int, int]:
        """How often a test ran and how often it was red, by the daily counters."""
        sums = select(func.sum(DailyCountRow.ran), func.sum(DailyCountRow.red)).where(
            DailyCountRow.test_id == select(TestRow.id).where(TestRow.label == label).scalar_subquery()
        )
        with read_only(self.deps.store) as session:
            ran, red = session.execute(sums).one()
        return int(ran or 0), int(red or 0)

    def comments(self, repo: str, pull: int) -> list[CommentRecord]:
        """All comments on a pull request, other people's too, oldest first."""
        return self.stand_in.state.talk.comments_on(self.stand_in.state.repository(repo), pull)

    def issues(self, repo: str) -> list[IssueRecord]:
        return self.stand_in.state.talk.issues_of(self.stand_in.state.repository(repo))

    def page(self, path: str) -> str:
        """A page of the dashboard, without the places at which long names may break."""
        answer = self.web.get(path, headers={"Accept": "text/html"})
        assert answer.status_code == 200, answer.text
        return answer.text.replace("<wbr>", "")


def with_token(settings: Settings, stand_in: StandIn) -> Settings:
    told = {
        "github_api_url": stand_in.api_url,
        "github_token": SecretStr(stand_in.state.token),
        "allow_private_downloads": True,
    }
    return settings.model_copy(update=told)


@contextmanager
def open_pipeline(settings: Settings, stand_in: StandIn, clock: ManualClock) -> Iterator[Pipeline]:
    """A service on a migrated data folder, whose GitHub is `stand_in`; with its token, unless as an App."""
    app: FastAPI = create_app(settings, clock)
    wired: Wiring = app.state.wiring
    url = f"{settings.dashboard_url}/webhooks/github"
    with (
        closing(open_http(timeout_s=5)) as http,
        TestClient(app, base_url=settings.dashboard_url, raise_server_exceptions=True) as web,
    ):
        access = settings if settings.github_app_id else with_token(settings, stand_in)
        github = open_github(access, http, clock)
        policy = VerdictPolicy(window_days=settings.evidence_window_days)
        deps = Deps(settings, wired.store, wired.inbox, github, clock, policy)
        yield Pipeline(deps, stand_in, clock, web, Mailbox(stand_in, url=url, secret=None))
