"""Tables for people: as wide as the terminal, and wide enough to be read where there is none."""

import sys

from rich.console import Console
from rich.table import Table

WIDTH = 180
"""Columns of a table that goes into a file or a pipe."""


def print_table(table: Table) -> None:
    """Print on stdout. Cells must be free of control characters (`app.logs.redact`)."""
    Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else WIDTH).print(table)
