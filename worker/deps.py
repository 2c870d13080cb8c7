"""What a stage is, and what it is given: the contract between the engine and the pipeline."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from sqlalchemy import Engine

from app.clock import Clock
from app.domain.policy import VerdictPolicy
from app.github.client import GitHub
from app.settings import Settings

QueueName = Literal["fetch", "judge", "report"]
"""Each runs as many tasks at once as a worker has threads."""

QUEUES: tuple[QueueName, ...] = ("fetch", "judge", "report")

PARTITIONED: frozenset[QueueName] = frozenset({"judge", "report"})
"""Those that run one task at a time for each partition, whatever the number of workers."""

Payload = Mapping[str, Any]
"""A small JSON object of ids with a `schema` number, never a model or a body; fields are only ever added."""


class Kernel(Protocol):
    """What a stage needs that only works on what the store has: also there where no GitHub is."""

    @property
    def store(self) -> Engine: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def policy(self) -> VerdictPolicy: ...


@dataclass(frozen=True, slots=True)
class Deps:
    """Everything a stage may touch. `store` is the application database, `inbox` that of deliveries.

    Shared by the worker's threads: engines and client are safe to use from several at once.
    """

    settings: Settings
    store: Engine
    inbox: Engine
    github: GitHub
    clock: Clock
    policy: VerdictPolicy
    scratch: Path | None = None
    """The process's folder for temporary ones; the system's if None."""


Handler = Callable[[Deps, Payload], None]
"""Runs one try of a task. It may be run again at any point, also after it succeeded, so its writes are keyed;
results and the orders for what follows are written in one `unit_of_work`."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the pipeline. Orders and stored tasks know it by `name`, which therefore never changes."""

    name: str
    queue: QueueName
    handler: Handler


Pipeline = Mapping[str, Stage]
"""Stages by name, in the order of the flow; the key is `Stage.name`."""

FIRST_STAGE = "record_run"
"""What a delivery starts, with the payload `{"schema": 1, "delivery": GUID}`, and what a missing attempt
does, with `{"schema": 1, "repo": NAME, "run": ID, "attempt": NUMBER}`."""
