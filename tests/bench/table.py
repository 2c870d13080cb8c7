"""Figures as a table for people, as JSON, and between two marks of the README."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from measured import Goal, Row

BEGIN, END = "<!-- bench: begin, written by make bench-table -->", "<!-- bench: end -->"
COLUMNS = ("figure", "ours", "least to most", "floor", "ratio", "goal", "")


def as_plain(rows: list[Row], machine: dict[str, str]) -> dict[str, Any]:
    return {
        "at": f"{datetime.now(UTC):%Y-%m-%d}",  # noqa: TID251 - the day of a figure is told by the machine
        "machine": machine,
        "rows": [{**asdict(row), "ratio": row.ratio, "is_reached": row.is_reached} for row in rows],
    }


def keep(found: dict[str, Any], last: Path) -> None:
    """Beside the figures of other names that were measured on the same machine before."""
    before = json.loads(last.read_text())["rows"] if last.is_file() else []
    measured = {row["figure"] for row in found["rows"]}
    kept = [row for row in before if row["figure"] not in measured]
    last.write_text(json.dumps({**found, "rows": [*kept, *found["rows"]]}, indent=1))


def json_lines(found: dict[str, Any]) -> str:
    about = {"at": found["at"], **found["machine"]}
    return "".join(json.dumps({**row, "measured": about}) + "\n" for row in found["rows"])


def for_people(found: dict[str, Any]) -> str:
    lines = [COLUMNS, *map(_cells, found["rows"])]
    widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
    table = "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
    notes = dict.fromkeys(f"{row['figure']}: {row['note']}" for row in found["rows"] if row["note"])
    return f"{table}\n\n" + "".join(f"{note}\n" for note in notes) + f"{_measured_on(found)}\n"


def rewrite(readme: Path, last: Path) -> None:
    """Replace what stands between the marks by the table of the figures measured last."""
    found = json.loads(last.read_text())
    before, _, rest = readme.read_text().partition(BEGIN)
    _, mark, after = rest.partition(END)
    assert mark, f"{readme.name} has no place for the table"
    readme.write_text(f"{before}{BEGIN}\n{_markdown(found)}\n{END}{after}")


def _markdown(found: dict[str, Any]) -> str:
    lines = [COLUMNS, ("---",) * len(COLUMNS), *map(_cells, found["rows"])]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{table}\n\n{_measured_on(found)}"


def _measured_on(found: dict[str, Any]) -> str:
    told = "; ".join(f"{name} {value}" for name, value in found["machine"].items())
    return f"Measured on {found['at']}: {told}."


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    spread = "" if row["lowest"] is None else f"{_number(row['lowest'])} to {_number(row['highest'])}"
    reached = {None: "", True: "reached", False: "falls short"}[row["is_reached"]]
    return (
        f"{row['figure']}: {row['what']}",
        f"{_number(row['ours'])} {row['unit']}",
        spread,
        "" if row["floor"] is None else f"{_number(row['floor'])} {row['unit']}",
        "" if row["ratio"] is None else f"{_number(row['ratio'])}",
        _goal(row),
        reached,
    )


def _goal(row: dict[str, Any]) -> str:
    if row["goal"] is None:
        return ""
    goal = Goal(**row["goal"])
    of = "of the floor" if goal.of_floor else row["unit"]
    return f"{goal.side} {_number(goal.bound)} {of}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
