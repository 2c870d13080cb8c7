"""Composition root of the worker process: settings in, tasks run until told to stop."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import structlog
from sqlalchemy import Engine

from app import logs
from app.clock import Clock, SystemClock
from app.domain.policy import VerdictPolicy
from app.github.client import GitHub, open_http
from app.github.credentials import NoToken, PlainToken
from app.settings import Settings
from app.store.outbox import Order
from app.store.session import open_engine, open_inbox
from worker.deps import Deps, Pipeline, QueueName
from worker.queue.engine import TaskEngine
from worker.queue.lock import exclusive
from worker.queue.relay import Relay
from worker.queue.retry import RetryPolicy
from worker.queue.runner import TaskRunner

log = structlog.get_logger(__name__)


def run(
    settings: Settings, pipeline: Pipeline, *, clock: Clock | None = None, stop: threading.Event | None = None
) -> bool:
    """Work until `stop` is set or SIGTERM or SIGINT arrives; then let running tasks end.

    False if some did not end in time: their threads still run, so the caller should leave by `os._exit`.
    Raises Conflict if another worker holds the data folder. Databases must be migrated already.
    """
    stop = stop or threading.Event()
    with exclusive(settings.data_dir / "worker.queue.lock", subject="worker"), _deps(settings, clock) as deps:
        return _work(deps, pipeline, stop)


def _work(deps: Deps, pipeline: Pipeline, stop: threading.Event) -> bool:
    settings = deps.settings
    wake = threading.Event()
    policy = RetryPolicy(max_tries=settings.max_tries, base_s=settings.retry_base_s)
    runner = TaskRunner(deps, pipeline, policy, after_try=wake.set)
    engine = TaskEngine(
        settings.engine_database_url,
        runner.run_try,
        threads=settings.worker_threads,
        poll_interval_s=settings.poll_interval_s,
    )

    def enqueue(order: Order) -> bool:
        return engine.enqueue(order, queue_of(pipeline, order.stage))

    relay = Relay(
        store=deps.store,
        inbox=deps.inbox,
        enqueue=enqueue,
        clock=deps.clock,
        poll_interval_s=settings.poll_interval_s,
        wake=wake,
    )
    engine.start()
    try:
        with _signals(stop, wake):
            log.info("worker is ready", unfinished=relay.start_over(), data_dir=str(settings.data_dir))
            relay.run(stop)
    finally:
        log.info("worker is stopping")
        ended = engine.stop(timeout_s=settings.stop_timeout_s)
    return ended


def queue_of(pipeline: Pipeline, stage: str) -> QueueName:
    """A stage that this version does not know goes to a queue as well, where the runner buries it."""
    known = pipeline.get(stage)
    return "fetch" if known is None else known.queue


@contextmanager
def _deps(settings: Settings, clock: Clock | None) -> Iterator[Deps]:
    logs.hide_also(settings.secrets)
    clock = clock or SystemClock()
    store = open_engine(settings.app_database_url)
    inbox = open_inbox(settings.inbox_database_url)
    with open_http(timeout_s=settings.github_timeout_s) as http:
        yield Deps(
            settings=settings,
            store=store,
            inbox=inbox,
            github=_github(settings, http, clock),
            clock=clock,
            policy=VerdictPolicy(window_days=settings.evidence_window_days),
        )
    _close(store, inbox)


def _close(*engines: Engine) -> None:
    for engine in engines:
        engine.dispose()


def _github(settings: Settings, http: httpx.Client, clock: Clock) -> GitHub:
    return GitHub(
        http,
        NoToken() if settings.github_token is None else PlainToken(settings.github_token),
        api_url=settings.github_api_url,
        allow_private_downloads=settings.allow_private_downloads,
        clock=clock,
    )


@contextmanager
def _signals(stop: threading.Event, wake: threading.Event) -> Iterator[None]:
    """Turn SIGTERM and SIGINT into `stop`, where signals may be caught: in the main thread."""

    def ask_to_stop(_number: int, _frame: object) -> None:
        stop.set()
        wake.set()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = {number: signal.signal(number, ask_to_stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
