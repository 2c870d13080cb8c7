"""`make bench`: figures beside their floors and their goals, for people and (`--json`) for programs.

Short forms of all figures by default; a figure that is named is measured in its long form.
"""

import argparse
import importlib
import sys
import time
from pathlib import Path

import machine
import table
from measured import Row

FIGURES = (
    "ack",
    "run_to_comment",
    "ingest",
    "first_page",
    "start",
    "reading",
    "reading_logs",
    "signatures",
    "probe",
    "reproduction",
)
ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".bench"


def main(arguments: list[str]) -> int:
    told = _parser().parse_args(arguments)
    last = KEPT / "last.json"
    if told.write_table:
        table.rewrite(ROOT / "README.md", last)
        return 0
    rows: list[Row] = []
    for name in told.figure or FIGURES:
        before, start_s = machine.load(), time.monotonic()
        rows += _measured(name, long=bool(told.figure) or told.long)
        sys.stderr.write(f"{name}: {time.monotonic() - start_s:.0f} s, load {before} to {machine.load()}\n")
    KEPT.mkdir(exist_ok=True)
    found = table.as_plain(rows, machine.facts())
    table.keep(found, last)
    sys.stdout.write(table.json_lines(found) if told.json else table.for_people(found))
    return 0


def _measured(name: str, *, long: bool) -> list[Row]:
    rows: list[Row] = importlib.import_module(name).measure(long=long)
    return rows


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument(
        "figure", nargs="*", choices=[*FIGURES, []], help="these in long form, instead of all"
    )
    parser.add_argument("--long", action="store_true", help="all in their long forms")
    parser.add_argument("--json", action="store_true", help="one object a line on stdout")
    parser.add_argument("--write-table", action="store_true", help="put the last figures into README.md")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
