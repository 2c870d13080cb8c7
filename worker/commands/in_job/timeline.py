"""What the ranks did, as a Markdown table: a row for each moment, a column for each rank."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from app.domain.markdown import inline
from app.domain.wording import counted
from worker.commands.in_job.prose import cut_at_word
from worker.replay.bundle.lane_marks import MarkKind
from worker.replay.bundle.scene import Bar, Lane, Match, Scene
from worker.replay.facts import WORLD

MOST_ROWS: Final = 30
MOST_COLUMNS: Final = 4
"""Of ranks; a wider table is not read beside a job's log."""
_CELL: Final = 180
_BAD: Final = frozenset({MarkKind.EXCEPTION, MarkKind.CRASH, MarkKind.SIGNAL})


@dataclass(frozen=True, slots=True)
class _Row:
    """Cells by lane, as Markdown. `is_quiet`: a collective that all ranks entered, which may be summed up."""

    at: float
    cells: Mapping[int, str] = field(default_factory=dict)
    is_quiet: bool = False


def timeline(scene: Scene, origin: int | None) -> str:
    """Empty where no process is known to be a rank: one process has no need of a table."""
    lanes = _chosen(scene.lanes, origin)
    if not any(lane.rank is not None for lane in lanes):
        return ""
    rows = list(_summed_up(sorted(_rows(lanes), key=lambda row: row.at), lanes))
    head = ["s", *(_title(lane) for lane in lanes)]
    table = [head, ["--:", *("---" for _ in lanes)]]
    for row in rows[-MOST_ROWS:]:
        at = "" if row.is_quiet else f"{row.at:.3f}"
        table.append([at, *(row.cells.get(index, "") for index in range(len(lanes)))])
    told = "\n".join(f"| {' | '.join(cells)} |" for cells in table)
    return "\n\n".join([told, *_left_out(len(rows), len(lanes), scene)])


def _chosen(lanes: Sequence[Lane], origin: int | None) -> list[Lane]:
    """The test's own process, the origin, those that went another way, then the other ranks in order."""
    test = [lane for lane in lanes if lane.rank is None and lane.title.startswith("pytest")][:1]
    ranks = [lane for lane in lanes if lane.rank is not None]

    def order(lane: Lane) -> tuple[bool, bool, int]:
        is_odd = any(bar.match in {Match.ALONE, Match.DIFFERENT} for bar in lane.bars)
        return (lane.rank != origin, not is_odd, lane.rank or 0)

    kept = sorted(ranks, key=order)[:MOST_COLUMNS]
    return [*test, *sorted(kept, key=lambda lane: (lane.rank or 0, lane.pid))]


def _title(lane: Lane) -> str:
    return "the test" if lane.rank is None else f"rank {lane.rank}"


def _rows(lanes: Sequence[Lane]) -> Iterator[_Row]:
    calls: dict[tuple[int, int], dict[int, Bar]] = defaultdict(dict)
    for index, lane in enumerate(lanes):
        for bar in lane.bars:
            calls[bar.line, bar.ordinal][index] = bar
        for mark in lane.marks:
            told = _told(mark.words)
            yield _Row(mark.at, {index: f"**{told}**" if mark.kind in _BAD else told})
        for shade in lane.shades:
            if index == 0 or shade.kind != "throttled":  # the quota holds the whole tree
                yield _Row(shade.begins, {index: f"*{_told(shade.words)}*"})
    for bars in calls.values():
        is_quiet = all(bar.match is Match.MATCHED and not bar.has_failed for bar in bars.values())
        cells = {index: _call(bar) for index, bar in bars.items()}
        if any(bar.match is Match.ALONE for bar in bars.values()):
            absent = [index for index, lane in enumerate(lanes) if lane.bars and index not in bars]
            cells |= dict.fromkeys(absent, "*never entered it*")
        yield _Row(min(bar.begins for bar in bars.values()), cells, is_quiet)


def _call(bar: Bar) -> str:
    of = "" if bar.group == WORLD else f" on {bar.group}"
    name = _told(f"{bar.name} number {bar.number}{of}")
    took = bar.ends - bar.begins
    if bar.is_open:
        return f"**{name}**: never came back"
    if bar.has_failed:
        return f"**{name}**: failed after {took:.1f} s"
    return name if bar.match is Match.MATCHED else f"**{name}**: {bar.match.value}"


def _told(words: str) -> str:
    return inline(cut_at_word(words, _CELL))


def _summed_up(rows: Sequence[_Row], lanes: Sequence[Lane]) -> Iterator[_Row]:
    """Of collectives in a row that all entered, the last one is shown and the others are counted."""
    for is_quiet, run in groupby(rows, key=lambda row: row.is_quiet):
        *others, last = run
        if is_quiet and others:
            first = next(index for index, lane in enumerate(lanes) if lane.rank is not None)
            told = f"*{counted(len(others), 'collective')} before it, which every rank entered*"
            yield _Row(others[0].at, {first: told}, is_quiet=True)
        elif not is_quiet:
            yield from others
        yield _Row(last.at, last.cells)


def _left_out(rows: int, columns: int, scene: Scene) -> Iterator[str]:
    earlier = max(0, rows - MOST_ROWS)
    processes = len(scene.lanes) - columns + scene.lanes_left_out
    told = [counted(earlier, "earlier row")] if earlier else []
    told += [counted(processes, "other process", "other processes")] if processes > 0 else []
    if told:
        yield f"{' and '.join(told)} in the bundle's page."
