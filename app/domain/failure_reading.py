"""From a raw failure text to what it says: streams, exceptions, and the one among them that is the cause."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.domain.assertion import is_assertion
from app.domain.failure_record import Framework, Phase
from app.domain.failure_text import Stream, cap, part_streams
from app.domain.opacity import holds_no_cause
from app.domain.raised import Raised
from app.domain.root_cause import Cause, Standing, find_cause, standing_of
from app.domain.traceback_text import read_bare, read_exceptions, read_message

_PYTEST_MESSAGE = re.compile(r'failed on (?P<phase>setup|teardown) with "(?P<message>.*)"?\s*$', re.DOTALL)
_PHASES = (
    ("ERROR at setup of ", Phase.SETUP),
    ("ERROR at teardown of ", Phase.TEARDOWN),
    ("ERROR collecting ", Phase.COLLECT),
    ("ImportError while importing test module", Phase.COLLECT),
    ("collection failure", Phase.COLLECT),
)
_MESSAGE_CHARS = 20_000
_PYTEST_LINE = re.compile(r"^E {2}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reading:
    """`cause` is None where no exception is named. `lines` are cleaned, none blank, ranks sorted out."""

    cause: Cause | None
    phase: Phase | None
    framework: Framework
    lines: tuple[str, ...]
    ranks: tuple[int, ...]
    truncated: bool


def read_failure(message: str, text: str) -> Reading:
    """Read `text`, and `message` where the text names nothing; total on any input."""
    phase, message = _unwrap(message)
    body, truncated = cap(text if text.strip() else message)
    streams = part_streams(body)
    told = [line for stream in streams for line in stream.lines if line.strip()]
    cause = find_cause(_candidates(streams, message))
    return Reading(
        cause=cause,
        phase=phase or _phase_of(body[:4_000]),
        framework=_framework_of(body, cause),
        lines=tuple(told),
        ranks=tuple(sorted({stream.rank for stream in streams if stream.rank is not None})),
        truncated=truncated,
    )


def _candidates(streams: Sequence[Stream], message: str) -> list[tuple[Raised, Standing]]:
    """Tracebacks first; weaker sources only while nothing found is an exception of the test's own.

    Captured output may hold exceptions that the test provoked and handled, so it never overrules them.
    """
    found: list[tuple[Raised, Standing]] = []
    sources = (
        lambda: _read(streams, captured=False, bare=False),
        lambda: _read(streams, captured=False, bare=True),
        lambda: [] if found else [read_message(message[:_MESSAGE_CHARS].splitlines())],
        lambda: [] if found else [read_message(stream.lines) for stream in streams[:1]],
        lambda: _read(streams, captured=True, bare=False),
    )
    for source in sources:
        known = {(raised.type, raised.headline) for raised, _ in found}
        fresh = [raised for raised in source() if raised and (raised.type, raised.headline) not in known]
        found.extend((raised, _standing(raised)) for raised in fresh)
        if any(standing is Standing.OWN and not raised.carrier for raised, standing in found):
            break
    return found


def _read(streams: Sequence[Stream], *, captured: bool, bare: bool) -> list[Raised]:
    found: list[Raised] = []
    for stream in streams:
        if stream.captured is captured:
            read = read_bare if bare else read_exceptions
            found.extend(replace(raised, rank=stream.rank) for raised in read(stream.lines))
    return found


def _standing(raised: Raised) -> Standing:
    if is_assertion(raised.type) and holds_no_cause(raised):
        return Standing.ENDED
    return standing_of(raised)


def _unwrap(message: str) -> tuple[Phase | None, str]:
    match = _PYTEST_MESSAGE.match(message)
    if match is None:
        return _phase_of(message[:200]), message
    return Phase(match["phase"]), match["message"].removesuffix('"')


def _phase_of(head: str) -> Phase | None:
    if "fixture '" in head and "' not found" in head:
        return Phase.SETUP
    return next((phase for words, phase in _PHASES if words in head), None)


def _framework_of(body: str, cause: Cause | None) -> Framework:
    if _PYTEST_LINE.search(body):
        return Framework.PYTEST
    if cause is not None and cause.root.frames:
        return Framework.PYTHON
    return Framework.OTHER
