"""Runs one try of a task and records how it went; the one place that catches whatever a stage raises."""

import time
from collections.abc import Callable
from typing import TypeVar

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from app.domain.errors import Conflict, Rejected
from app.logs import redact
from app.store import runs, tasks
from app.store.session import unit_of_work
from app.store.tasks import Task
from worker.deps import PARTITIONED, Deps, Pipeline
from worker.queue.retry import GiveUp, RetryAt, RetryPolicy, decide, may_pass

Answer = TypeVar("Answer")

Begun = tuple[Task, dict[str, object]]
"""A task that runs, and the names that each line logged meanwhile carries."""

RECORD_AGAIN_S = 1.0

ERROR_CHARACTERS = 2000

LEARNT = "run"
"""GitHub's id of the run, which a stage binds as soon as it knows it."""

LOGGED = ("delivery", "repo", LEARNT, "attempt", "pull", "branch")

log = structlog.get_logger(__name__)


class TaskRunner:
    """Called by the engine's threads. `after_try` is called when orders may have been written; `executor` is
    the worker's name.
    """

    def __init__(
        self,
        deps: Deps,
        pipeline: Pipeline,
        policy: RetryPolicy,
        *,
        after_try: Callable[[], None],
        executor: str = "worker",
    ) -> None:
        self._deps = deps
        self._pipeline = pipeline
        self._policy = policy
        self._after_try = after_try
        self._executor = executor
        self._together = {
            queue: frozenset(one.name for one in pipeline.values() if one.queue == queue)
            for queue in PARTITIONED
        }

    def run_try(self, key: str, number: int) -> None:
        """Run the task's stage once, for order `number`; then the task is done, waiting or dead.

        Does nothing for a task that has ended or was ordered again since. Never raises what a stage raised.
        """
        with structlog.contextvars.bound_contextvars(task=key):
            begun = self._record(self._beginning(key, number))
            if begun is None:
                log.debug("order is overtaken, or its partition is taken", number=number)
                return
            task, names = begun
            try:
                with structlog.contextvars.bound_contextvars(stage=task.stage, **names):
                    self._conclude(task, self._failure(task))
            finally:
                structlog.contextvars.unbind_contextvars(LEARNT)
        self._after_try()

    def _beginning(self, key: str, number: int) -> Callable[[Session], Begun | None]:
        """Begins once: a COMMIT whose answer was lost, and which went through, is not taken for a try that
        its worker's end cut short.
        """
        begun: Begun | None = None

        def begin(session: Session) -> Begun | None:
            nonlocal begun
            if begun is None or tasks.by_key(session, key) != begun[0]:
                begun = self._begin(session, key, number)
            return begun

        return begin

    def _begin(self, session: Session, key: str, number: int) -> Begun | None:
        """None if there is nothing to run."""
        known = tasks.by_key(session, key)
        stage = None if known is None else self._pipeline.get(known.stage)
        task = tasks.begin_try(
            session,
            key,
            number=number,
            at=self._deps.clock.now(),
            executor=self._executor,
            apart_from=() if stage is None else self._together.get(stage.queue, ()),
        )
        return None if task is None else (task, _names(session, task))

    def _failure(self, task: Task) -> Exception | None:
        """What the try failed with; None if it did what it should."""
        if task.interrupted >= self._policy.max_interruptions:
            return Rejected("task", f"its worker ended {task.interrupted} times while it was running")
        stage = self._pipeline.get(task.stage)
        if stage is None:
            return Rejected("task", f"this version has no stage called {task.stage!r}")
        try:
            stage.handler(self._deps, task.payload)
        except Conflict as error:
            log.info("somebody else did it", reason=str(error))
        except Exception as error:  # noqa: BLE001 - whatever a stage raises is recorded and decided here
            return error
        return None

    def _conclude(self, task: Task, error: Exception | None) -> None:
        now, token = self._deps.clock.now(), task.total_tries
        if error is None:
            self._record_end(task, lambda session: tasks.finish(session, task.key, at=now, token=token))
            log.info("task is done", tries=task.tries)
            return
        verdict = decide(
            error, key=task.key, tries=task.tries, now=now, policy=self._policy, before=task.error_family
        )
        family, text = verdict.family, redact(verdict.reason)[:ERROR_CHARACTERS]
        bug = error if family == "bug" else None
        if isinstance(verdict, GiveUp):
            log.error("task is dead", tries=task.tries, error=text, exc_info=bug)
            self._record_end(
                task,
                lambda session: tasks.bury(session, task.key, at=now, family=family, error=text, token=token),
            )
        else:
            self._wait(task, verdict, text, bug)

    def _wait(self, task: Task, again: RetryAt, text: str, bug: Exception | None) -> None:
        log.warning("task waits", tries=again.tries, until=again.at, error=text, exc_info=bug)
        now = self._deps.clock.now()
        self._record_end(
            task,
            lambda session: tasks.wait(
                session,
                task.key,
                at=now,
                next_at=again.at,
                family=again.family,
                error=text,
                tries=again.tries,
                token=task.total_tries,
            ),
        )

    def _record_end(self, task: Task, write: Callable[[Session], bool]) -> None:
        """A try that another one has overtaken, because its worker counted as dead, ends without a trace.

        One whose end is there already, by a COMMIT whose answer was lost, has not been overtaken.
        """

        def write_once(session: Session) -> bool:
            return write(session) or tasks.is_ended(session, task.key, token=task.total_tries)

        if not self._record(write_once):
            log.warning("another try has begun since; the end of this one is not recorded")

    def _record(self, write: Callable[[Session], Answer]) -> Answer:
        """Returns once it is written. Going on without would leave a task that nobody ever runs again;
        a worker that ends meanwhile leaves one that was interrupted, which the next worker takes up.
        """
        while True:
            try:
                with unit_of_work(self._deps.store) as session:
                    return write(session)
            except DBAPIError as error:
                if not may_pass(error):
                    raise
                log.warning("cannot record a task", error=str(error.orig))
                time.sleep(RECORD_AGAIN_S)


def _names(session: Session, task: Task) -> dict[str, object]:
    told: dict[str, object] = {name: task.payload[name] for name in LOGGED if name in task.payload}
    attempt = told.get("attempt")
    if LEARNT not in told and isinstance(attempt, int):
        run = runs.github_run(session, attempt)
        told |= {} if run is None else {LEARNT: run}
    return told
