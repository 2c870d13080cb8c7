"""Geometry of the two pictures, in pixels; templates only draw what stands here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from app.dashboard.parts import Link, Mark

CELL: Final = 26
CHARACTER: Final = 7.3
"""Width of one character of the labels, in pixels."""
LABEL_CHARACTERS: Final = 32
HEAD_HEIGHT: Final = 62
BAR_WIDTH: Final = 14
BAR_HEIGHT: Final = 64
WIDEST_DAYS: Final = 92


@dataclass(frozen=True, slots=True)
class GridColumn:
    """One attempt: `x` is where the baseline of its upright label stands."""

    link: Link
    title: str
    x: int


@dataclass(frozen=True, slots=True)
class GridCell:
    """`x` and `y` are the upper left corner of a shape of 16 by 16."""

    x: int
    y: int
    mark: Mark
    title: str
    href: str


@dataclass(frozen=True, slots=True)
class GridRow:
    """One variant; `marks` repeats the cells as words for the table, None where the job did not exist."""

    name: str
    shown: str
    y: int
    cells: tuple[GridCell, ...]
    marks: tuple[Mark | None, ...]


@dataclass(frozen=True, slots=True)
class GridChart:
    width: int
    height: int
    columns: tuple[GridColumn, ...]
    rows: tuple[GridRow, ...]


def grid_chart(
    rows: Sequence[str],
    columns: Sequence[tuple[Link, str]],
    marks: Mapping[tuple[int, int], Mark],
) -> GridChart:
    """Variants by attempts; `marks` by (row, column), absent where there was no such job."""
    left = round(CHARACTER * min(LABEL_CHARACTERS, max(map(len, rows), default=0))) + CELL // 2
    drawn_columns = tuple(
        GridColumn(link, title, left + CELL * place + CELL // 2 + 4)
        for place, (link, title) in enumerate(columns)
    )
    drawn_rows = tuple(
        _grid_row(place, name, columns, {c: mark for (r, c), mark in marks.items() if r == place}, left)
        for place, name in enumerate(rows)
    )
    return GridChart(
        width=left + CELL * len(columns) + 8,
        height=HEAD_HEIGHT + CELL * len(rows),
        columns=drawn_columns,
        rows=drawn_rows,
    )


def _grid_row(
    place: int, name: str, columns: Sequence[tuple[Link, str]], marks: Mapping[int, Mark], left: int
) -> GridRow:
    top = HEAD_HEIGHT + CELL * place
    cells = tuple(
        GridCell(
            x=left + CELL * column + (CELL - 16) // 2,
            y=top + (CELL - 16) // 2,
            mark=mark,
            title=f"{mark.word} in {name}, {columns[column][1]}",
            href=columns[column][0].href or "",
        )
        for column, mark in sorted(marks.items())
    )
    shown = name if len(name) <= LABEL_CHARACTERS else "…" + name[-(LABEL_CHARACTERS - 1) :]
    words = tuple(marks.get(column) for column in range(len(columns)))
    return GridRow(name, shown, top + CELL // 2 + 4, cells, words)


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    ran: int
    red: int


@dataclass(frozen=True, slots=True)
class Bar:
    """`height` is the whole bar, `red_height` its lower, red part: at least 3 pixels if anything was red."""

    day: Day
    x: int
    y: int
    height: int
    red_y: int
    red_height: int


@dataclass(frozen=True, slots=True)
class DayChart:
    """Every day of the window has a place; a day without runs has no bar. `days` are the rows behind it."""

    width: int
    height: int
    bars: tuple[Bar, ...]
    days: tuple[Day, ...]
    first: date
    last: date


def day_chart(days: Sequence[Day], *, first: date, last: date) -> DayChart:
    """Bars of one width from `first` to `last`, scaled to the busiest day."""
    first = max(first, last - timedelta(days=WIDEST_DAYS))
    shown = [day for day in days if first <= day.day <= last and day.ran > 0]
    most = max((day.ran for day in shown), default=1)
    bars = []
    for day in shown:
        height = max(2, round(BAR_HEIGHT * day.ran / most))
        red_height = 0 if day.red == 0 else min(height, max(3, round(BAR_HEIGHT * day.red / most)))
        x = BAR_WIDTH * (day.day - first).days
        bars.append(Bar(day, x, BAR_HEIGHT - height, height, BAR_HEIGHT - red_height, red_height))
    width = BAR_WIDTH * ((last - first).days + 1)
    return DayChart(width, BAR_HEIGHT, tuple(bars), tuple(shown), first, last)
