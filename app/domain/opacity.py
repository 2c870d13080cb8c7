"""Whether a failure text holds a cause at all, or only tells that a process, a flag or a wait went wrong."""

import re

from app.domain.assertion import is_assertion
from app.domain.raised import Raised
from app.domain.repo_path import is_foreign

_STATUS = re.compile(
    r"exit_?codes?\b|return_?codes?\b|exit[ _-]?(?:code|status)|exit(?:ed|s)? with|\bis_alive\b|\.poll\(\)"
    r"|terminated with|\bstatus\b.{0,40}\bprocess|crashed while running",
    re.IGNORECASE,
)
_WORKERS_LATE = re.compile(
    r"(?:workers?|ranks?|process(?:es)?|children)\b.{0,80}\b(?:timed out|hung|did not (?:finish|exit|report))"
    r"|timed out waiting for\b.{0,80}\b(?:workers?|ranks?|process(?:es)?|children)",
    re.IGNORECASE,
)
_FLAG = re.compile(
    r"(?:not )?(?:True|False|None)(?: (?:is|==|!=) (?:not )?(?:None|True|False))?"
    r"|(?:False|True) is not (?:true|false)|unexpectedly (?:None|False|True)|raise AssertionError(?:\(\))?",
)
_CRASH = re.compile(r"\bSIG(?:SEGV|ABRT|BUS|ILL|FPE|KILL)\b")
"""A named signal is a cause of its own kind, though not a full one."""
_QUOTED_TRACEBACK = "Traceback (most recent call last)"
_NO_REPORT = frozenset({"Empty", "SystemExit", "KeyboardInterrupt"})


def holds_no_cause(raised: Raised) -> bool:
    """True for a bare assertion on a flag, an exit status or a late worker, and whatever says as little."""
    if _QUOTED_TRACEBACK in " ".join(raised.message) or _CRASH.search(raised.headline):
        return False
    headline = raised.headline
    if not is_assertion(raised.type):
        return raised.type.rpartition(".")[2] in _NO_REPORT or names_no_cause(headline)
    statement = next((frame.source for frame in reversed(raised.frames) if not is_foreign(frame.path)), "")
    stated = headline.removeprefix("AssertionError: ")
    if not stated:  # a worker's asserts are not introspected; their statement still says what was wrong
        return not statement or names_no_cause(statement) or _FLAG.fullmatch(_compared(statement)) is not None
    if _FLAG.fullmatch(_compared(stated)):
        return True
    if stated.startswith("assert "):
        return names_no_cause(statement or " ".join(raised.message))
    return names_no_cause(stated) or (" != " in stated and names_no_cause(statement))


def _compared(assertion: str) -> str:
    return assertion.removeprefix("assert").strip()


def names_no_cause(words: str) -> bool:
    """True for words about an exit status, or about workers that were late."""
    return _STATUS.search(words[:1_000]) is not None or _WORKERS_LATE.search(words[:1_000]) is not None
