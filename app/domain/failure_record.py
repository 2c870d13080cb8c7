"""The structured record of one failure: what a signature's keys are hashed from, and what is kept beside."""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum

from app.domain.category import Category


class Phase(StrEnum):
    SETUP = "setup"
    CALL = "call"
    TEARDOWN = "teardown"
    COLLECT = "collect"
    PROCESS = "process"  # outside any test: a worker, a job


class Framework(StrEnum):
    PYTEST = "pytest"
    PYTHON = "python"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ChainLink:
    """One exception of a chain. `type` is dotted as printed, empty where the text names none."""

    type: str
    template: str


@dataclass(frozen=True, slots=True)
class RepoFrame:
    """A frame inside the repository, its path relative to the checkout; line numbers are left out."""

    path: str
    function: str


@dataclass(frozen=True, slots=True)
class Attributes:
    """Facts that are shown and filtered by, but never part of a key: they differ from run to run.

    `values` is a digest of the operands of a comparison, None where nothing is compared: equal groups with
    other values are one way to fail, but not known to be one failure.
    """

    param: str | None
    ranks: tuple[int, ...]
    message: str
    truncated: bool
    values: str | None


@dataclass(frozen=True, slots=True)
class FailureRecord:
    """`chain` runs from the root cause to the outermost exception; `frames` are the root's, outer to inner.

    `statement` is the source line that failed (whitespace collapsed), empty where the text does not show it.
    `crash` names what ended a process, such as `SIGSEGV`.
    """

    framework: Framework
    test_base: str | None
    phase: Phase
    category: Category
    chain: tuple[ChainLink, ...]
    frames: tuple[RepoFrame, ...]
    statement: str
    template: str
    crash: str | None
    attributes: Attributes

    def to_json(self) -> dict[str, object]:
        """Plain dicts, lists and strings, for storage and the command line."""
        record: dict[str, object] = json.loads(json.dumps(asdict(self)))
        return record
