"""What `read --json` prints: an object a file, with an object a test where they are asked for."""

from collections.abc import Iterator
from dataclasses import asdict

from app.domain.outcome import Errored, Failed, Outcome, Result, Skipped
from app.domain.pytest_node import to_node
from worker.commands.read_content import LOG, FileRead

Record = dict[str, object]


def file_record(read: FileRead) -> Record:
    return {
        "file": read.name,
        "format": read.format,
        "status": read.status.value,
        "reason": read.reason,
        **asdict(read.counts),
        "declared": None if read.declared is None else asdict(read.declared),
        "problems": list(read.problems),
    }


def result_records(read: FileRead) -> Iterator[Record]:
    """One at a time: a file may have hundreds of thousands."""
    is_log = read.format == LOG
    return (result_record(one, is_log=is_log) for one in read.results)


def result_record(result: Result, *, is_log: bool) -> Record:
    """One test: its id whole and in parts as the file has them, then what it did."""
    return {
        "test": test_name(result, is_log=is_log),
        **result.test._asdict(),
        **outcome_record(result.outcome),
        "duration_s": result.duration_s,
        "path": result.path,
        "line": result.line,
        "earlier": [outcome_record(one) for one in result.earlier],
    }


def test_name(result: Result, *, is_log: bool) -> str:
    """As the source of the result spells it: a log prints node ids, where a results file has classes."""
    return to_node(result.test, result.path) if is_log else result.test.label


def outcome_record(outcome: Outcome) -> Record:
    """A skipped test's reason is its message; a passed one has neither message nor text."""
    told: Record = {"outcome": outcome.kind.value, "message": None, "text": None, "cut": False}
    if isinstance(outcome, Failed | Errored):
        return {**told, "message": outcome.message, "text": outcome.text, "cut": outcome.cut}
    return {**told, "message": outcome.reason} if isinstance(outcome, Skipped) else told
