"""What is said of a log: its root cause, the line to quote, the test, and what only followed."""

from dataclasses import dataclass

from app.domain.category import Category


@dataclass(frozen=True, slots=True)
class Quoted:
    """A clean but literal line; `line` counts from 1 in the original log, None where that is no log."""

    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class FailureTold:
    """One failed test of the log, by the id that the log prints; `key` is None where no line tells why."""

    test: str
    category: Category
    key: Quoted | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """`root_cause` is one sentence. `key` and `test` are None where the log names none: no guess is made."""

    category: Category
    root_cause: str
    key: Quoted | None = None
    test: str | None = None
    consequences: tuple[Quoted, ...] = ()
    failures: tuple[FailureTold, ...] = ()
    cut: bool = False
    """The middle of the log was left out, so the cause may stand there."""
    is_cause: bool = False
    """Whether the key is more than that something had ended, such as an exit code."""
