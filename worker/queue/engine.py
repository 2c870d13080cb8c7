"""The durable queue behind a small face; the only module that imports DBOS."""

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, EnqueueOptions, error
from sqlalchemy import Engine

from app.logs import Seldom
from app.store.outbox import Order
from app.store.session import open_engine
from worker.deps import PARTITIONED, QUEUES, QueueName
from worker.queue.takeover import Claim, try_name

VERSION = "tasks-1"
"""Constant: by default it is a digest of the source, and every deploy would strand what was running."""

MAX_RECOVERIES = 5
"""A last resort above `RetryPolicy.max_interruptions`, which buries a task that ends its worker. Counts only
what is recovered at a start: to resume, as takeovers do, begins to count anew."""

WORKFLOW = "run_task"

ALIVE = frozenset({"PENDING", "ENQUEUED", "DELAYED"})

ENDED = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]

FORGOTTEN_AT_ONCE = 500

SAY_AGAIN_S = 10.0

RunTry = Callable[[str, int], None]
"""Runs one try of the task `key` for its order `number`; after a crash, again for the same two."""


class TaskEngine:
    """Accepts orders and calls `run_try` for each, in threads, until stopped; at most one a process.

    One workflow is one try of one task. It has no steps: what a crash interrupts runs again from the start.
    `executor` names this process in what it claims. `before_write` is that of `open_engine`.
    """

    def __init__(
        self,
        url: str,
        run_try: RunTry,
        *,
        executor: str,
        threads: int,
        poll_interval_s: float,
        before_write: Callable[[], None] | None = None,
    ) -> None:
        self._url = url
        self._run_try = run_try
        self._executor = executor
        self._threads = threads
        self._poll_interval_s = poll_interval_s
        self._before_write = before_write
        self._running: set[str] = set()
        self._change = threading.Lock()

    def start(self) -> None:
        """Open the queue, then take up what was running when the last worker of this name ended."""
        logging.getLogger("dbos").setLevel(logging.WARNING)
        # Its migrations begin transactions by themselves, which a connection of ours would have done already.
        DBOS.migrate(self._url)
        self._tables = open_engine(self._url, lock="at first write", before_write=self._before_write)
        DBOS(config=self._config(self._tables))
        _log_through_root()

        @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=MAX_RECOVERIES)
        def run_task(key: str, number: int) -> None:
            self._counted_try(key, number)

        DBOS.launch()
        for name in QUEUES:
            DBOS.register_queue(
                name,
                worker_concurrency=self._threads,
                partition_concurrency=1 if name in PARTITIONED else None,
                polling_interval_sec=self._poll_interval_s,
                on_conflict="always_update",
            )

    def enqueue(self, order: Order, queue: QueueName, *, rank: int = 1) -> bool:
        """Durable on return. An order enqueued before is dropped; False if it will not run because it has
        ended already.

        Of what waits in a queue, or in one of its partitions, the smallest rank is first, then the oldest.
        """
        name = try_name(order.key, order.number)
        options = EnqueueOptions(
            workflow_name=WORKFLOW,
            queue_name=queue,
            workflow_id=name,
            workflow_id_reuse_policy="reject",
            app_version=VERSION,
            priority=rank,
        )
        if queue in PARTITIONED:  # a partitioned queue never looks at an entry without a partition
            options["queue_partition_key"] = order.partition or order.key
        try:
            DBOS.enqueue_workflow_with_options(options, order.key, order.number)
        except error.DBOSWorkflowIDInUseError:
            known = DBOS.get_workflow_status(name)
            return known is None or known.status in ALIVE
        return True

    def claims(self) -> Sequence[Claim]:
        """What executors took from their queues and have not ended, those of dead ones among it."""
        found = DBOS.list_workflows(status="PENDING", name=WORKFLOW, load_input=False, load_output=False)
        return [
            Claim(one.workflow_id, one.queue_name, one.executor_id)
            for one in found
            if one.queue_name is not None and one.executor_id is not None
        ]

    def put_back(self, claims: Sequence[Claim]) -> None:
        """Have any worker take these again, each in its rank, place and partition; not what has ended.

        Whoever is at one of them still, which nobody checks here, can no longer note its end in the queue.
        """
        by_queue: defaultdict[str, list[str]] = defaultdict(list)
        for claim in claims:
            by_queue[claim.queue].append(claim.name)
        for queue, names in by_queue.items():
            DBOS.resume_workflows(names, queue_name=queue)  # without its name it would change queues

    def forget_ended(self, before: datetime) -> int:
        """Remove the records of some tries that ended before then; return how many, 0 once none is left.

        Their names could then be used again: whoever orders by them has to remember for longer.
        """
        found = DBOS.list_workflows(
            name=WORKFLOW,
            status=ENDED,
            completed_before=before.isoformat(),
            limit=FORGOTTEN_AT_ONCE,
            load_input=False,
            load_output=False,
        )
        if found:
            DBOS.delete_workflows([one.workflow_id for one in found])
        return len(found)

    def runs(self, name: str) -> bool:
        with self._change:
            return name in self._running

    def stop(self, *, timeout_s: float) -> bool:
        """Start no further try and wait for those that run; False if some did not end in time.

        Takes a second at least. What did not end is run again by the next worker, or by another one.
        """
        DBOS.destroy(workflow_completion_timeout_sec=max(1, round(timeout_s)), destroy_registry=True)
        self._tables.dispose()
        return not self._running

    def _counted_try(self, key: str, number: int) -> None:
        name = try_name(key, number)
        with self._change:
            self._running.add(name)
        try:
            self._run_try(key, number)
        finally:
            with self._change:
                self._running.discard(name)

    def _config(self, tables: Engine) -> DBOSConfig:
        return DBOSConfig(
            name="flake-triage",
            system_database_url=self._url,
            system_database_engine=tables,
            run_migrations=False,
            serializer=DBOSPortableJSONSerializer(),  # the default would unpickle what it finds
            application_version=VERSION,
            executor_id=self._executor,
            log_level="WARNING",
        )


def _log_through_root() -> None:
    """Its logger brings a handler that writes unredacted plain text; leave writing to ours."""
    logger = logging.getLogger("dbos")
    logger.handlers.clear()
    if not any(isinstance(one, Seldom) for one in logger.filters):
        logger.addFilter(Seldom(SAY_AGAIN_S))  # its queues each try many times a second
    logger.propagate = True
