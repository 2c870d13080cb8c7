"""A text log that one rank of a multi-process test left in an artifact: which rank, and how it ended."""

import re
from dataclasses import dataclass
from typing import Final

from app.domain.bounded_text import bounded
from app.domain.joblog.log_lines import clean_line

TAIL: Final = 16 * 1024
"""Characters of a rank's log that are kept for people to read."""
TEXT_BYTES: Final = 4 * 1024 * 1024
"""How much of the end of a log is searched; a rank's last words stand there."""
LINE: Final = 2000

_RANK_NAME: Final = re.compile(r"(?:^|[/_.\-])rank[_\-]?(\d{1,5})(?=[._/\-]|$)", re.IGNORECASE)
_TORCHELASTIC: Final = re.compile(r"(?:^|/)(\d{1,5})/(?:stdout|stderr)\.(?:log|txt)$")
"""torchelastic writes LOG_DIR/RUN/attempt_N/RANK/stderr.log (torch.distributed.elastic.multiprocessing)."""

_TEXT_SUFFIXES: Final = (".log", ".txt", ".out", ".err", ".stderr", ".stdout")

_PREFIX: Final = re.compile(r"(?:\[(?:default|rank)?\d{1,5}\]:? ?){1,3}")
_TRACEBACK: Final = "Traceback (most recent call last):"
_EXCEPTION: Final = re.compile(r"[A-Za-z_][\w.]{0,200}(?::|$)")
_END: Final = re.compile(
    r"Fatal Python error|Segmentation fault|terminate called|core dumped|\b(?:Aborted|Killed|SIG[A-Z]{3,6})\b"
)


@dataclass(frozen=True, slots=True)
class RankLog:
    """`last_error` is the exception of the last traceback, else a line about a signal, else None."""

    rank: int
    path: str
    last_error: str | None
    tail: str


def is_text_log(path: str) -> bool:
    return path.lower().endswith(_TEXT_SUFFIXES)


def is_results_candidate(path: str) -> bool:
    """A hint by name only; what a file holds is decided by its content."""
    return path.lower().endswith((".xml", ".trx"))


def rank_of(path: str) -> int | None:
    """The rank that a log's path names, or None."""
    named = _RANK_NAME.findall(path)
    found = named[-1] if named else None
    if found is None and (elastic := _TORCHELASTIC.search(path)):
        found = elastic.group(1)
    return int(found) if found is not None else None


def read_rank_log(path: str, text: bytes) -> RankLog | None:
    """Read one rank's log; None if the path names no rank."""
    rank = rank_of(path)
    if rank is None:
        return None
    raw = text[-TEXT_BYTES:].decode("utf-8", "replace").split("\n")
    lines = [clean_line(line) for line in raw]
    bare = [_PREFIX.sub("", line, count=1) if line.startswith("[") else line for line in lines]
    kept, _ = bounded("\n".join(lines), 0, TAIL)
    return RankLog(rank, path, _last_exception(bare) or _last_signal(bare), kept)


def _last_exception(lines: list[str]) -> str | None:
    """The line that ends the last traceback: the first one after it that is neither frame nor source."""
    start = next((n for n in range(len(lines) - 1, -1, -1) if lines[n].endswith(_TRACEBACK)), None)
    if start is None:
        return None
    indent = len(lines[start]) - len(_TRACEBACK)
    for line in lines[start + 1 :]:
        rest = line[indent:]
        if rest and not rest[0].isspace() and _EXCEPTION.match(rest):
            return rest[:LINE]
    return None


def _last_signal(lines: list[str]) -> str | None:
    return next((line.strip()[:LINE] for line in reversed(lines) if _END.search(line)), None)
