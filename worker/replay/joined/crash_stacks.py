"""Stacks that faulthandler wrote on a shared standard error, each told to the process that died there."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from worker.replay.facts import Exit, Stack
from worker.replay.joined.last_words import CRASHES
from worker.replay.observed import Observed
from worker.replay.reading.stacks import Told, read_stacks

_FATAL: Final = re.compile(r"^Fatal Python error: ", re.MULTILINE)
_MOST_DUMPS: Final = 64


def crash_stacks(text: str, exits: Sequence[Exit], observed: Observed) -> tuple[Stack, ...]:
    """Of deaths by a signal, in the order of time. Where dumps and deaths differ in number none is told.

    Those whom we ended to see their stacks are told as asked: nothing was fatal to them but us.
    """
    ends = {one.pid: one for one in exits}
    found: list[Stack] = []
    for pid, tail in observed.error_tails.items():
        if pid in ends:
            found += [stack for dump in _dumps(tail) for stack in _read(dump, ends[pid], observed)]
    deaths = sorted(
        (one for one in exits if one.signal in CRASHES and one.pid not in observed.error_tails),
        key=lambda one: one.t,
    )
    dumps = _dumps(text)
    if len(deaths) == len(dumps):
        for dump, death in zip(dumps, deaths, strict=True):
            found += _read(dump, death, observed)
    return tuple(found)


def _dumps(text: str) -> list[str]:
    starts = [one.start() for one in _FATAL.finditer(text)][:_MOST_DUMPS]
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


def _read(dump: str, end: Exit, observed: Observed) -> list[Stack]:
    told = Told(pid=end.pid, project=observed.project, main=None, last_at=end.t)
    stacks = read_stacks(dump.encode(), told)
    return [replace(one, reason="asked", fatal=None) if end.by_us else one for one in stacks]
