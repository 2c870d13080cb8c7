"""Who wrote a line of a log that many processes share: the labels of launchers, taken off."""

import re
from typing import Final, NamedTuple

MOST_LABELS: Final = 6

_LABEL: Final = re.compile(
    r"\[(?:rank|default|local_?rank) ?(?P<rank>\d{1,6})\]:? ?"
    r"|\[(?P<bare>\d{1,6})\]:(?: |$)"  # torchrun --tee, mpirun --tag-output
    r"|\[(?P<worker>gw\d{1,4})\] "
    r"|\((?:[A-Za-z_]{1,40} )?(?:pid|rank)=(?P<pid>\d{1,9})(?:, [^)]{0,60})?\) "  # Ray
    r"|(?P<glog>[IWEFC]\d{4} \d\d:\d\d:\d\d\.\d{3,9} {1,4}\d{1,9}) (?P<place>[^\s\]]{1,300}:\d{1,7})\] ?"
    r"|\[(?P<level>[IWE]) (?P<file>[\w./-]{1,200}:\d{1,7})\] ?"  # c10d before its lines bore a time
    r"|\[[IWE]\d{3,4} \d\d:\d\d:\d\d\.\d{3,9} (?P<at>[\w./-]{1,200}:\d{1,7})\] ?"
    r"|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[,.]\d{3,9}\] ?"
)
_FIRST: Final = frozenset("[(IWEFC")


class Written(NamedTuple):
    """`rank` is None where no label names one; `said` is the line without its labels."""

    rank: int | None
    worker: str | None
    said: str


def split_writer(text: str) -> Written:
    """Take the labels off a clean line. Idempotent on what it says."""
    rank: int | None = None
    worker: str | None = None
    for _ in range(MOST_LABELS):
        if text[:1] not in _FIRST or (label := _LABEL.match(text)) is None:
            break
        told = label["rank"] or label["bare"]
        rank = int(told) if told else rank
        worker = label["worker"] or worker
        text = text[label.end() :]
    return Written(rank, worker, text)
