"""The acknowledgement of a delivery while the worker is busy, beside an application that only checks HMAC."""

import asyncio
import tempfile
from pathlib import Path

import processes
from measured import Row, at_most, percentile
from sender import Answers, Sender

from worker.upgrade import upgrade

RATES = (20, 50, 100)
RUNS = 400
"""Runs to be recorded, fetched and judged: the worker never comes to an end of them."""
SLICE_S = 2.0
GOAL_RATE = 50


def measure(*, long: bool) -> list[Row]:
    slices = 15 if long else 5
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "letters").mkdir()
        with processes.github(str(folder / "letters"), str(RUNS), "1", "100", "2") as github:
            bodies = [path.read_bytes() for path in sorted((folder / "letters").iterdir())]
            settings = processes.settings_for(folder, api_url=github.api_url, token=github.token)
            upgrade(settings)
            log = folder / "log"
            with (
                processes.floor("signed", settings=settings, log=log) as bare,
                processes.web(settings, log) as web,
                processes.worker(settings, log),
            ):
                asyncio.run(_warm_up(web.url, bare.url, bodies))
                for rate in RATES:
                    ours, floor = asyncio.run(_at(rate, slices, web.url, bare.url, bodies))
                    rows += _rows(rate, ours, floor)
    return rows


async def _warm_up(ours: str, floor: str, bodies: list[bytes]) -> None:
    await _at(20, 1, ours, floor, bodies, name="warm")


async def _at(
    rate: int, slices: int, ours: str, floor: str, bodies: list[bytes], *, name: str = ""
) -> tuple[Answers, Answers]:
    """Two seconds at the one, two at the other, and again."""
    of_ours, of_floor = Answers(), Answers()
    to_ours = Sender(ours, bodies, name=f"{name}{rate}")
    to_floor = Sender(floor, bodies, name=f"{name}{rate}")
    for _ in range(slices):
        await to_floor.send(rate=rate, seconds=SLICE_S, into=of_floor)
        await to_ours.send(rate=rate, seconds=SLICE_S, into=of_ours)
    return of_ours, of_floor


def _rows(rate: int, ours: Answers, floor: Answers) -> list[Row]:
    note = f"{len(ours.latencies_s)} deliveries, busy worker; floor: bare FastAPI, HMAC only"
    if ours.refused or floor.refused:
        note = f"{ours.refused} and {floor.refused} refused; {note}"
    return [
        Row(
            "ack",
            f"p{round(100 * share)} at {rate} deliveries/s",
            1000 * percentile(ours.latencies_s, share),
            "ms",
            1000 * min(ours.latencies_s),
            1000 * max(ours.latencies_s),
            1000 * percentile(floor.latencies_s, share),
            at_most(15.0) if (rate, share) == (GOAL_RATE, 0.99) else None,
            note,
        )
        for share in (0.5, 0.99)
    ]
