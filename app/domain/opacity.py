"""Whether a failure text holds a cause at all, or only tells that a process, a flag or a wait went wrong."""

import re

from app.domain.assertion import is_assertion
from app.domain.raised import Raised

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
    r"|(?:False|True) is not (?:true|false)|unexpectedly (?:None|False|True)",
)
_QUOTED_TRACEBACK = "Traceback (most recent call last)"
_NO_REPORT = frozenset({"Empty", "SystemExit", "KeyboardInterrupt"})


def holds_no_cause(raised: Raised) -> bool:
    """True for a bare assertion on a flag, an exit status or a late worker, and whatever says as little."""
    if _QUOTED_TRACEBACK in " ".join(raised.message):
        return False
    headline = raised.headline
    if not is_assertion(raised.type):
        return raised.type.rpartition(".")[2] in _NO_REPORT or names_no_cause(headline)
    statement = raised.frames[-1].source if raised.frames else ""
    stated = headline.removeprefix("AssertionError: ")
    if stated.startswith("assert"):
        compared = stated.removeprefix("assert").strip()
        return not compared or _FLAG.fullmatch(compared) is not None or names_no_cause(statement or compared)
    if not stated or _FLAG.fullmatch(stated):
        return True
    return names_no_cause(stated) or (" != " in stated and names_no_cause(statement))


def names_no_cause(words: str) -> bool:
    """True for words about an exit status, or about workers that were late."""
    return _STATUS.search(words[:1_000]) is not None or _WORKERS_LATE.search(words[:1_000]) is not None
