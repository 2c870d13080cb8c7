"""One log for each process: JSON lines on stderr, without secrets and without control characters."""

import logging
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from typing import Any, TextIO

import structlog
from structlog.typing import Processor

from app.domain import redaction

LIMIT_CHARACTERS = 20_000
"""Longer texts are cut before they are searched: a log line is no place for a whole test log."""

LONGEST_WORD = 4000
"""Longer ones hold no secret at their end that could be cut in two."""

_CONTROL = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f"
    "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2028\\u2029\\u2066-\\u2069\\ud800-\\udfff\\ufeff]"
)
"""What moves a terminal's cursor, turns writing round, ends a line elsewhere, or is no character at all."""


_own: list[str] = []
"""Spellings of this process's own secrets. A list of the module, because a log has no owner to ask."""


def hide_also(secrets: Iterable[str]) -> None:
    """Have `hide` and `redact` know these secrets by heart; may be called again, and nothing is forgotten."""
    _own[:] = sorted({*_own, *redaction.spellings(secrets)}, key=len, reverse=True)


def hide(text: str) -> str:
    """Replace secrets, ours among them; the rest stays as it is. To be asked before a text is cut."""
    return redaction.redact(text, _own)


def redact(text: str) -> str:
    """Replace secrets, and spell out control and direction characters (line feed and tab stay)."""
    if len(text) > LIMIT_CHARACTERS:
        text = _beginning(text) + "... (cut)"
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", hide(text))


def _beginning(text: str) -> str:
    """Searched before it is cut; the last word of what is searched goes, since it may be half a secret."""
    searched = text[: 2 * LIMIT_CHARACTERS]
    if len(searched) < len(text):
        last = re.search(r"\S*$", searched[-LONGEST_WORD:])
        assert last is not None
        searched = searched[: len(searched) - len(last[0])]
    return hide(searched)[:LIMIT_CHARACTERS]


class _Stderr(logging.StreamHandler[TextIO]):
    """Writes to what stderr is at that moment: it can be exchanged, and closed, while we log."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


class Seldom(logging.Filter):
    """Of what one line of code logs, lets one record through in so many seconds, with the number of others.

    For a library that logs at each of many tries while a server is away.
    """

    def __init__(self, every_s: float, seconds: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._every_s, self._seconds = every_s, seconds
        self._next_s: dict[tuple[str, int], float] = {}
        self._kept_back: Counter[tuple[str, int]] = Counter()
        self._change = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        place, now_s = (record.pathname, record.lineno), self._seconds()
        with self._change:
            if now_s < self._next_s.get(place, now_s):
                self._kept_back[place] += 1
                return False
            self._next_s[place] = now_s + self._every_s
            others = self._kept_back.pop(place, 0)
        if others:
            record.msg, record.args = f"{record.getMessage()} (and {others} like it since the last)", None
        return True


def configure(*, level: int = logging.INFO) -> None:
    """Send structlog's records and the standard library's through one handler; may be called again."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    is_terminal = sys.stderr.isatty()
    handler = _Stderr()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder(allow=[])],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                _redact_event,
                structlog.dev.ConsoleRenderer() if is_terminal else structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for noisy in ("httpx", "httpcore", "alembic"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )


def _redact_event(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {str(name): _redacted(value) for name, value in event.items()}


def _redacted(value: Any) -> Any:  # noqa: ANN401 - a log field may be anything
    """Everything but numbers, flags and None becomes text first, so that no object hides a secret."""
    match value:
        case None | bool() | int() | float():
            return value
        case Mapping():
            return {redact(str(name)): _redacted(part) for name, part in value.items()}
        case str():
            return redact(value)
        case Sequence() if not isinstance(value, (bytes, bytearray)):
            return [_redacted(part) for part in value]
        case _:
            return redact(str(value))
