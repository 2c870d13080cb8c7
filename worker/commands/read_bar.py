"""The outcomes of a file as a bar: as many cells of each kind as its share, and one at least."""

from dataclasses import dataclass
from typing import Final

from worker.commands.read_content import Counts

CELLS: Final = 24


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of outcome is drawn; the letter where the output cannot hold the sign."""

    name: str
    sign: str
    letter: str
    style: str


KINDS: Final = (
    Kind("failed", "█", "F", "red"),
    Kind("errored", "▓", "E", "magenta"),
    Kind("skipped", "░", "s", "yellow"),
    Kind("passed", "━", ".", "green"),
)


def bar(counts: Counts, *, plain: bool) -> str:
    """Red first. Of no test, an empty one; never longer than CELLS."""
    known = [(kind, getattr(counts, kind.name) or 0) for kind in KINDS]
    shares = allot([count for _, count in known], CELLS)
    return "".join(
        (kind.letter if plain else kind.sign) * cells for (kind, _), cells in zip(known, shares, strict=True)
    )


def allot(counts: list[int], cells: int) -> list[int]:
    """Cells for each count, all of them together: none for nothing, else at least one."""
    total = sum(counts)
    if not total:
        return [0] * len(counts)
    if total <= cells:
        return counts
    given = [max(1, count * cells // total) if count else 0 for count in counts]
    largest = counts.index(max(counts))
    given[largest] += cells - sum(given)
    return given


def legend(*, plain: bool) -> str:
    return "  ".join(f"{kind.letter if plain else kind.sign} {kind.name}" for kind in KINDS)
