"""What was read of one input, and whether that is right."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from worker.commands.given_files import Given
from worker.commands.read_content import FileRead, read_given


@dataclass(frozen=True, slots=True)
class Shown:
    name: str
    is_right: bool
    words: str


class Wrong(Exception):
    """What is not as it should be."""


Case = tuple[str, Callable[[], str]]
"""A name, and what tries it: returns what was read, or raises Wrong."""


def tried(cases: Sequence[Case]) -> Iterator[Shown]:
    for name, attempt in cases:
        try:
            yield Shown(name, is_right=True, words=attempt())
        except Wrong as wrong:
            yield Shown(name, is_right=False, words=str(wrong))


def check(*, holds: bool, wanted: str, found: object) -> None:
    if not holds:
        raise Wrong(f"{wanted}; found {found}")


def read(content: bytes | str, name: str = "file") -> FileRead:
    """As the command line reads it."""
    raw = content.encode() if isinstance(content, str) else content
    told = read_given(Given(name, io.BufferedReader(io.BytesIO(raw)), len(raw), is_meant=True))  # type: ignore[arg-type]
    assert told is not None
    return told


def counts_words(told: FileRead) -> str:
    counts = told.counts
    words = f"{told.format or 'no format'}, {told.status.value}: {counts.cases} cases, {counts.passed} passed"
    return f"{words}, {counts.failed} failed, {counts.errored} errored, {counts.skipped} skipped"
