"""Reading large results files beside bare iterparse, junitparser and the standard library; peak memory."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import junitparser
from large_files import small_files, write_giant, write_many, write_printing
from lxml import etree
from measured import Goal, Row, at_least, at_most, row_of_rounds
from rounds import in_turn

from app.domain.results.junit import read_junit
from worker.ingest.collection import rare_collections

Work = Callable[[Path], None]

MB = 1_000_000
PEAK_MB = 150
ROUNDS = 3
_CHILD = """
import sys
from pathlib import Path
from reading_large import read
if sys.argv[1:]:
    read(Path(sys.argv[1]))
told = Path("/proc/self/status").read_text().split()
print(int(told[told.index("VmHWM:") + 1]) / 1024)
"""
"""Memory is that of a process that does nothing else, its modules included."""


def measure(*, long: bool) -> list[Row]:
    share = 1 if long else 5
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name, rare_collections():
        folder = Path(name)
        many, printing, giant = (folder / one for one in ("many.xml", "printing.xml", "giant.xml"))
        tests = 200_000 // share
        write_many(many, tests, size_bytes=100 * MB // share)
        rows += _beside_peers(f"{tests:,} tests", [many], tests)
        many.unlink()
        write_printing(printing, tests, size_bytes=100 * MB // share)
        rows += _beside_peers(f"{tests:,} tests that print", [printing], tests)
        printing.unlink()
        write_giant(giant, 60 * MB // share)
        rows += _beside_peers("one giant CDATA section", [giant], 1, parses_all=False)
        giant.unlink()
        rows += _beside_peers("2,000 small files", list(small_files(folder, 2_000)), 20_000)
        rows.append(_memory(folder / "memory.xml", 1_000 * MB // share))
    return rows


def _beside_peers(what: str, files: Sequence[Path], tests: int, *, parses_all: bool = True) -> list[Row]:
    """`parses_all`: junitparser can read it; it refuses a text of more than 10 MB."""
    peers: list[tuple[str, Work, Goal | None]] = [
        ("bare iterparse", bare, at_least(0.6, of_floor=True)),
        ("the standard library's iterparse", standard, None),
    ]
    if parses_all:
        peers.append(("junitparser", peer, at_least(1.5, of_floor=True)))
    megabytes = sum(path.stat().st_size for path in files) / MB
    return [_row(f"{what}, {megabytes:,.0f} MB", files, megabytes, tests, *one) for one in peers]


def _row(
    what: str, files: Sequence[Path], megabytes: float, tests: int, name: str, work: Work, goal: Goal | None
) -> Row:
    ours, floor = in_turn(_each(files, read), _each(files, work), rounds=ROUNDS)
    rate = tests / sorted(ours)[len(ours) // 2]
    return row_of_rounds(
        "reading",
        f"{what}; beside {name}",
        "MB/s",
        [megabytes / one for one in ours],
        [megabytes / one for one in floor],
        goal,
        f"{rate:,.0f} cases/s; floor: {name}",
    )


def _each(files: Sequence[Path], work: Work) -> Callable[[], None]:
    def run() -> None:
        for path in files:
            work(path)

    return run


def read(path: Path) -> None:
    with path.open("rb") as stream:
        read_junit(stream)


def bare(path: Path) -> None:
    for _, element in etree.iterparse(str(path), huge_tree=True):
        element.clear()


def standard(path: Path) -> None:
    for _, element in ET.iterparse(path):
        element.clear()


def peer(path: Path) -> None:
    for suite in junitparser.JUnitXml.fromfile(str(path)):
        for case in suite:
            _ = case.name, case.classname, case.time, case.result


def _memory(path: Path, size_bytes: int) -> Row:
    write_printing(path, 200_000, size_bytes=size_bytes)
    megabytes = path.stat().st_size / MB
    ours, floor = _peak_mb(str(path)), _peak_mb()
    return Row(
        "reading",
        f"200,000 tests, {megabytes:,.0f} MB: peak memory",
        ours,
        "MB",
        floor=floor,
        goal=at_most(PEAK_MB),
        note="floor: the process before it reads",
    )


def _peak_mb(*path: str) -> float:
    here = Path(__file__).parent
    told = subprocess.run(
        [sys.executable, "-c", _CHILD, *path],
        env={"PYTHONPATH": f"{here}:{here.parents[1]}", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(told.stdout)
