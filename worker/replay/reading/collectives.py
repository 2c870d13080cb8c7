"""Collectives of all processes of a trial, by both who see them: our wrappers and torch's Flight Recorder."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from worker.replay.facts import Collective
from worker.replay.reading import flight
from worker.replay.reading.calls import CallTail
from worker.replay.reading.record import Record


@dataclass(slots=True)
class _Flight:
    size: int = -1
    found: tuple[Collective, ...] = ()
    torn: bool = False


@dataclass(slots=True)
class CollectiveReader:
    """Reads again and again while the files grow; a dump is parsed once."""

    folder: Path
    _calls: dict[int, CallTail] = field(default_factory=dict)
    _flights: dict[int, _Flight] = field(default_factory=dict)

    def read(self, records: Sequence[Record]) -> tuple[tuple[Collective, ...], tuple[str, ...]]:
        """In order of time, and the names of files that are torn."""
        found: list[Collective] = []
        torn: list[str] = []
        for record in records:
            calls = self._calls.setdefault(record.pid, CallTail(self.folder / f"{record.pid}.calls"))
            wrapped = calls.read(record)
            found += wrapped
            torn += [calls.path.name] if calls.torn else []
            path = self.folder / f"{record.pid}.flight"
            dumped = self._flights.setdefault(record.pid, _Flight())
            size = _size(path)
            if size not in {0, dumped.size}:
                dumped.size = size
                dumped.found, dumped.torn = flight.read(path, record)
            found += _joined(dumped.found, wrapped)
            torn += [path.name] if dumped.torn else []
        return tuple(sorted(found, key=lambda one: one.t_in)), tuple(torn)


def _joined(dumped: Sequence[Collective], wrapped: Sequence[Collective]) -> Iterator[Collective]:
    """What torch saw within a call that we saw too has its site, and its end where that came first."""
    starts = [one.t_in for one in wrapped]
    for one in dumped:
        at = bisect_right(starts, one.t_in) - 1
        around = wrapped[at] if at >= 0 else None
        if around is None or one.t_in > (around.t_out or one.t_in):
            yield one
        else:
            ends = [end for end in (one.t_out, around.t_out) if end is not None]
            yield replace(one, site=one.site or around.site, t_out=min(ends, default=None))


def _size(path: Path) -> int:
    try:
        return path.stat(follow_symlinks=False).st_size
    except OSError:
        return 0
