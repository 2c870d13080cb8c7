"""Reading JUnit files, beside bare `lxml.etree.iterparse` over the same bytes."""

import io
from collections.abc import Callable
from pathlib import Path

import reading_large
from junit_files import junit
from lxml import etree
from measured import Row, at_least, row_of_rounds
from rounds import in_turn

from app.domain.results.junit import read_junit
from worker.ingest.collection import rare_collections

NEAR = Path(__file__).parents[3] / "shared" / "corpus" / "junit"


def measure(*, long: bool) -> list[Row]:
    rounds = 15 if long else 5
    rows = [
        _row("20,000 tests, none red", [junit(20_000)], rounds),
        _row("20,000 tests, 400 red", [junit(20_000, red=400)], rounds),
        _row("2,000 tests, all red", [junit(2_000, red=2_000)], rounds),
    ]
    corpus = [path.read_bytes() for path in sorted(NEAR.rglob("*.xml"))] if NEAR.is_dir() else []
    whole = [one for one in corpus if _is_sound(one)]
    if whole:
        rows.append(_row(f"{len(whole)} real files", whole, rounds))
    return rows + reading_large.measure(long=long)


def _row(what: str, files: list[bytes], rounds: int) -> Row:
    megabytes = sum(map(len, files)) / 1e6
    with rare_collections():
        ours, floor = in_turn(_each(files, _read), _each(files, _bare), rounds=rounds)
    note = "floor: bare iterparse, each element cleared"
    return row_of_rounds(
        "reading",
        what,
        "MB/s",
        [megabytes / one for one in ours],
        [megabytes / one for one in floor],
        at_least(0.6, of_floor=True),
        note,
    )


def _each(files: list[bytes], work: Callable[[bytes], None]) -> Callable[[], None]:
    def run() -> None:
        for content in files:
            work(content)

    return run


def _read(content: bytes) -> None:
    read_junit(io.BytesIO(content))


def _bare(content: bytes) -> None:
    for _, element in etree.iterparse(io.BytesIO(content)):
        element.clear()


def _is_sound(content: bytes) -> bool:
    """The floor reads no broken file to its end."""
    try:
        _bare(content)
    except etree.XMLSyntaxError:
        return False
    return True
