"""Listings for people, each row about one named thing, whose name is never cut."""

import sys
from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.console import Console

from worker import says

WIDTH = 180
"""Columns of a listing that goes into a file or a pipe."""
BETWEEN = "  "


def print_listing(columns: Sequence[str], rows: Iterable[Sequence[str]], *, name: int) -> None:
    """Print rows of cells under their columns; `name` is the index of the one that must stay readable."""
    width = Console().width if sys.stdout.isatty() else WIDTH
    for line in laid_out(columns, rows, name=name, width=width):
        says.text(line)


def laid_out(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, name: int, width: int
) -> Iterable[str]:
    """One line a row where all fit into `width`; else two, the first with the first cell and the name."""
    table = [tuple(columns), *(tuple(row) for row in rows)]
    widths = [max(cell_len(row[index]) for row in table) for index in range(len(columns))]
    if sum(widths) + len(BETWEEN) * (len(widths) - 1) <= width:
        yield from (_joined(row, widths) for row in table)
        return
    details = [index for index in range(len(columns)) if index not in {0, name}]
    for row in table:
        yield f"{_padded(row[0], widths[0])}{BETWEEN}{row[name]}".rstrip()
        indent = " " * widths[0] + BETWEEN
        yield indent + _joined([row[index] for index in details], [widths[index] for index in details])


def _joined(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (_padded(cell, width) for cell, width in zip(cells, widths, strict=True))
    return BETWEEN.join(padded).rstrip()


def _padded(cell: str, width: int) -> str:
    """Numbers to the right; characters that fill two columns count as two."""
    gap = " " * (width - cell_len(cell))
    return gap + cell if cell.replace(",", "").isdecimal() else cell + gap
