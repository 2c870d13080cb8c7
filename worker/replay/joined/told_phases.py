"""Phases of a bare trial's tests, from the results file that pytest wrote: no probe was there to see them."""

import io
import re
from collections.abc import Iterator
from typing import Final

from app.domain.outcome import Errored, Failed, Passed, Result
from app.domain.results.junit import read_junit
from app.domain.signature import sign
from worker.replay.facts import Phase
from worker.replay.joined.printed_failure import read_failure

MOST_TOLD: Final = 100
_MOST_CRASH: Final = 1_000
_WRAPPED: Final = re.compile(r'failed on (setup|teardown) with "')
_COLLECTION: Final = "collection failure"


def told_phases(results: bytes, *, pid: int, t: int, project: str) -> tuple[Phase, ...]:
    """How each test ended; a skip tells nothing. Total on any bytes.

    The file has no time of a phase: `t` is when pytest had ended, so that nothing that a worker did is taken
    for having come after the failure.
    """
    reading = read_junit(io.BytesIO(results), limit=MOST_TOLD)
    return tuple(phase for one in reading.results if one.test.name for phase in _of(one, pid, t, project))


def _of(result: Result, pid: int, t: int, project: str) -> Iterator[Phase]:
    outcome = result.outcome
    name = result.test.label
    if isinstance(outcome, Passed):
        yield Phase(t, pid, name, "call", "passed")
    elif isinstance(outcome, Failed | Errored):
        when, crash = _unwrapped(outcome.message)
        printed = read_failure(outcome.text, project)
        where = printed.frames[-1] if printed.frames else None
        yield Phase(
            t,
            pid,
            name,
            when,
            "failed",
            crash[:_MOST_CRASH],
            file=where.file if where else None,
            line=where.line if where else None,
            frames=printed.frames,
            behind=printed.behind,
            opaque=sign(test=result.test, message=outcome.message, text=outcome.text).opaque,
        )


def _unwrapped(message: str) -> tuple[str, str]:
    """The phase and pytest's own line, which a results file has in quotes for all but the call."""
    if message.strip() == _COLLECTION:
        return "collect", message
    found = _WRAPPED.match(message)
    return (found[1], message[found.end() :].removesuffix('"')) if found else ("call", message)
