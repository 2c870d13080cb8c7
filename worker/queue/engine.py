"""The durable queue behind a small face; the only module that imports DBOS."""

import logging
import threading
from collections.abc import Callable

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, EnqueueOptions, error
from sqlalchemy import Engine

from app.store.outbox import Order
from app.store.session import open_engine
from worker.deps import QueueName

VERSION = "tasks-1"
"""Constant: by default it is a digest of the source, and every deploy would strand what was running."""

EXECUTOR = "worker"
"""Constant: tasks are recovered by the executor they ran on, and a file lock allows one worker only."""

MAX_RECOVERIES = 5
"""A last resort above `RetryPolicy.max_interruptions`, which buries a task that ends its worker."""

WORKFLOW = "run_task"

PARTITIONED: dict[QueueName, bool] = {"fetch": False, "judge": True, "report": True}

ALIVE = frozenset({"PENDING", "ENQUEUED", "DELAYED"})

RunTry = Callable[[str, int], None]
"""Runs one try of the task `key` for its order `number`; after a crash, again for the same two."""


class TaskEngine:
    """Accepts orders and calls `run_try` for each, in threads, until stopped; at most one a process.

    One workflow is one try of one task. It has no steps: what a crash interrupts runs again from the start.
    """

    def __init__(self, url: str, run_try: RunTry, *, threads: int, poll_interval_s: float) -> None:
        self._url = url
        self._run_try = run_try
        self._threads = threads
        self._poll_interval_s = poll_interval_s
        self._running = 0
        self._count = threading.Lock()

    def start(self) -> None:
        """Open the queue, then take up what was running when the last worker ended."""
        logging.getLogger("dbos").setLevel(logging.WARNING)
        # Its migrations begin transactions by themselves, which a connection of ours would have done already.
        DBOS.migrate(self._url)
        self._tables = open_engine(self._url, lock="at first write")
        DBOS(config=self._config(self._tables))
        _log_through_root()

        @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=MAX_RECOVERIES)
        def run_task(key: str, number: int) -> None:
            self._counted_try(key, number)

        DBOS.launch()
        for name, partitioned in PARTITIONED.items():
            DBOS.register_queue(
                name,
                worker_concurrency=self._threads,
                partition_concurrency=1 if partitioned else None,
                polling_interval_sec=self._poll_interval_s,
                on_conflict="always_update",
            )

    def enqueue(self, order: Order, queue: QueueName) -> bool:
        """Durable on return. An order enqueued before is dropped; False if it will not run because it has
        ended already.
        """
        name = f"{order.key}#{order.number}"
        options = EnqueueOptions(
            workflow_name=WORKFLOW,
            queue_name=queue,
            workflow_id=name,
            workflow_id_reuse_policy="reject",
            app_version=VERSION,
        )
        if PARTITIONED[queue]:  # a partitioned queue never looks at an entry without a partition
            options["queue_partition_key"] = order.partition or order.key
        try:
            DBOS.enqueue_workflow_with_options(options, order.key, order.number)
        except error.DBOSWorkflowIDInUseError:
            known = DBOS.get_workflow_status(name)
            return known is None or known.status in ALIVE
        return True

    def stop(self, *, timeout_s: float) -> bool:
        """Start no further try and wait for those that run; False if some did not end in time.

        Takes a second at least. What did not end is run again by the next worker.
        """
        DBOS.destroy(workflow_completion_timeout_sec=max(1, round(timeout_s)), destroy_registry=True)
        self._tables.dispose()
        return self._running == 0

    def _counted_try(self, key: str, number: int) -> None:
        with self._count:
            self._running += 1
        try:
            self._run_try(key, number)
        finally:
            with self._count:
                self._running -= 1

    def _config(self, tables: Engine) -> DBOSConfig:
        return DBOSConfig(
            name="flake-triage",
            system_database_url=self._url,
            system_database_engine=tables,
            run_migrations=False,
            serializer=DBOSPortableJSONSerializer(),  # the default would unpickle what it finds
            application_version=VERSION,
            executor_id=EXECUTOR,
            log_level="WARNING",
        )


def _log_through_root() -> None:
    """Its logger brings a handler that writes unredacted plain text; leave writing to ours."""
    logger = logging.getLogger("dbos")
    logger.handlers.clear()
    logger.propagate = True
