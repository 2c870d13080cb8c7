"""The test under suspicion: where it lives, what runs it, and what is known of its failure in CI."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Original:
    """The failure that started the replay, as a JUnit file or a stored failure holds it."""

    message: str
    text: str
    signature: str | None = None  # its group key; None where it was not computed
    opaque: bool = False  # the text holds no cause: trials can be consistent with it, never the same
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Suspect:
    """A test in a project folder, with no change to either. `test` is a node id, relative to `project`."""

    test: str
    project: Path
    python: Path  # the interpreter that has the project's packages
    original: Original | None = None
    expected_signature: str | None = None
    isolated: bool = True
    left_out: tuple[Path, ...] = ()  # folders in the project that are no part of it: where we write evidence
