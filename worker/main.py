"""Composition root of the worker process: settings in, tasks run until told to stop."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import structlog

from app import logs
from app.clock import Clock, SystemClock
from app.domain.policy import VerdictPolicy
from app.github.client import open_http
from app.settings import Settings
from app.store.session import open_engine, open_inbox
from app.store.workers import Worker
from worker.beside import beside
from worker.deps import Deps, Pipeline, QueueName
from worker.github_access import open_github
from worker.housekeeping.upkeep import Upkeep
from worker.queue.engine import TaskEngine
from worker.queue.leader import Leadership
from worker.queue.lease import USUAL_LEASE, LeasePolicy, OwnLease
from worker.queue.lock import exclusive
from worker.queue.relay import Relay
from worker.queue.retry import RetryPolicy
from worker.queue.runner import TaskRunner
from worker.queue.takeover import Takeover
from worker.scratch import own_folder
from worker.stop_signals import stop_signals
from worker.watching.reconciler import Reconciler

log = structlog.get_logger(__name__)


def run(
    settings: Settings,
    pipeline: Pipeline,
    *,
    clock: Clock | None = None,
    stop: threading.Event | None = None,
    policy: LeasePolicy = USUAL_LEASE,
) -> bool:
    """Work until `stop` is set or SIGTERM or SIGINT arrives; then let running tasks end.

    False if some did not end in time: their threads still run, so the caller should leave by `os._exit`.
    Raises Conflict on SQLite if another worker holds the data folder; on PostgreSQL there may be any number,
    and one that loses its lease ends its process. Databases must be migrated already.
    """
    stop = stop or threading.Event()
    with _place(settings), own_folder() as scratch:
        lease = OwnLease(
            settings.app_database_url, _worker(settings), policy, can_be_lost=settings.on_postgres
        )
        with _deps(settings, clock, scratch, lease.require) as deps:
            return _work(deps, pipeline, stop, lease, policy)


@contextmanager
def _place(settings: Settings) -> Iterator[None]:
    """Only one worker has the files of a data folder; PostgreSQL is shared."""
    if settings.on_postgres:
        yield
    else:
        with exclusive(settings.data_dir / "worker.queue.lock", subject="worker"):
            yield


def _worker(settings: Settings) -> Worker:
    """On SQLite always of one name, by which it takes up what the last one left; else of a new one."""
    host, pid, started = socket.gethostname()[:100], os.getpid(), SystemClock().now()
    name = f"{host}-{pid}-{started:%Y%m%dT%H%M%S.%f}" if settings.on_postgres else "worker"
    return Worker(name, host, pid, version("flake-triage"))


def _work(
    deps: Deps, pipeline: Pipeline, stop: threading.Event, lease: OwnLease, policy: LeasePolicy
) -> bool:
    settings, wake = deps.settings, threading.Event()
    runner = TaskRunner(
        deps,
        pipeline,
        RetryPolicy(max_tries=settings.max_tries, base_s=settings.retry_base_s),
        after_try=wake.set,
        executor=lease.worker.executor,
    )
    engine = TaskEngine(
        settings.engine_database_url,
        runner.run_try,
        executor=lease.worker.executor,
        threads=settings.worker_threads,
        poll_interval_s=settings.poll_interval_s,
        before_write=lease.require,
    )
    relay = Relay(
        store=deps.store,
        inbox=deps.inbox,
        enqueue=lambda order: engine.enqueue(
            order, queue_of(pipeline, order.stage), rank=rank_of(pipeline, order.stage)
        ),
        clock=deps.clock,
        poll_interval_s=settings.poll_interval_s,
        wake=wake,
    )

    def ask_to_stop() -> None:
        stop.set()
        wake.set()

    ended = True
    lease.start()
    try:
        unfinished = relay.start_over()  # before the engine: once it has caught up, nothing stirs again
        engine.start()
        ended = False
        try:
            reconciler = Reconciler(deps, after_look=wake.set)
            with (
                stop_signals(ask_to_stop),
                _takeover(settings, lease, engine, policy),
                beside(reconciler.run, name="reconciler"),
                beside(Upkeep(deps, forget_ended=engine.forget_ended).run, name="upkeep"),
            ):
                log.info(
                    "worker is ready",
                    unfinished=unfinished,
                    database=settings.database_shown,
                    executor=lease.worker.executor,
                )
                relay.run(stop)
        finally:
            log.info("worker is stopping")
            ended = engine.stop(timeout_s=settings.stop_timeout_s)
    finally:
        lease.stop(is_idle=ended)
    return ended


@contextmanager
def _takeover(settings: Settings, lease: OwnLease, engine: TaskEngine, policy: LeasePolicy) -> Iterator[None]:
    """Beside the work: look after dead workers, where this one is the leader, and after lost tasks."""
    if not settings.on_postgres:
        with beside(Takeover(lease, engine, policy, leads=lambda: True).run, name="takeover"):
            yield
        return
    leadership = Leadership(settings.app_database_url, silent_s=policy.stale_s, before_write=lease.require)
    takeover = Takeover(lease, engine, policy, leads=leadership.holds)

    def lead_until(stop: threading.Event) -> None:
        """Resigning is left to the thread that leads: it alone may use the leader's session."""
        try:
            takeover.run(stop)
        finally:
            leadership.resign()

    with beside(lead_until, name="takeover"):
        yield


def queue_of(pipeline: Pipeline, stage: str) -> QueueName:
    """A stage that this version does not know goes to a queue as well, where the runner buries it."""
    known = pipeline.get(stage)
    return "fetch" if known is None else known.queue


def rank_of(pipeline: Pipeline, stage: str) -> int:
    """How many stages are left, this one included: what was begun ends before anything new begins.

    Otherwise runs that come faster than they are read would keep all others waiting half-read. One that
    this version does not know is last.
    """
    names = list(pipeline)
    return len(names) - names.index(stage) if stage in pipeline else len(names) + 1


@contextmanager
def _deps(
    settings: Settings, clock: Clock | None, scratch: Path, before_write: Callable[[], None]
) -> Iterator[Deps]:
    logs.hide_also(settings.secrets)
    clock = clock or SystemClock()
    store = open_engine(settings.app_database_url, before_write=before_write)
    inbox = open_inbox(settings.inbox_database_url, before_write=before_write)
    try:
        with open_http(timeout_s=settings.github_timeout_s) as http:
            yield Deps(
                settings=settings,
                store=store,
                inbox=inbox,
                github=open_github(settings, http, clock, before_write=before_write),
                clock=clock,
                policy=VerdictPolicy(window_days=settings.evidence_window_days),
                scratch=scratch,
            )
    finally:
        store.dispose()
        inbox.dispose()
