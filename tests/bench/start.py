"""How long the application takes to import, and the memory of its processes."""

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx
import machine
import processes
from measured import Row, at_most, row_of_rounds
from rounds import Work, in_turn
from sender import Answers, Sender

from worker.upgrade import upgrade

DELIVERIES, RATE, VIEWS = 1000, 100, 200
PAGES = ("/", "/tests", "/pulls", "/problems")
FLOOR = "import fastapi, uvicorn, sqlalchemy.orm, pydantic_settings, jinja2, lxml.etree, structlog"


def measure(*, long: bool) -> list[Row]:
    ours, floor = in_turn(_python("import app.main"), _python(FLOOR), rounds=9 if long else 5)
    note = "a new process each; floor: its libraries alone"
    return [row_of_rounds("start", "import app.main", "s", ours, floor, at_most(0.9), note), *_memory()]


def _python(program: str) -> Work:
    return lambda: subprocess.run([sys.executable, "-c", program], check=True)


def _memory() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "letters").mkdir()
        with processes.github(str(folder / "letters"), "20", "1", "100", "2") as github:
            bodies = [path.read_bytes() for path in sorted((folder / "letters").iterdir())]
            settings = processes.settings_for(folder, api_url=github.api_url, token=github.token)
            upgrade(settings)
            log = folder / "log"
            with (
                processes.floor("signed", settings=settings, log=log) as bare,
                processes.web(settings, log) as web,
            ):
                at_first = machine.rss_mb(web.pid)
                asyncio.run(_deliver(web.url, bodies))
                with processes.worker(settings, log) as worker:
                    while github.next_comment(within_s=120)["pull"] < len(bodies) // 2:
                        pass
                    _look(web.url)
                    asyncio.run(_deliver(bare.url, bodies))
                    used, floor, busy = (machine.rss_mb(one.pid) for one in (web, bare, worker))
    note = f"after {DELIVERIES:,} deliveries and {VIEWS} views; floor: bare FastAPI after as many deliveries"
    return [
        Row("start", "memory of web", used, "MB", at_first, used, floor, at_most(90), note),
        Row("start", "memory of worker", busy, "MB", note="at work"),
    ]


async def _deliver(url: str, bodies: list[bytes]) -> None:
    answers = Answers()
    await Sender(url, bodies, name="memory").send(rate=RATE, seconds=DELIVERIES / RATE, into=answers)
    assert not answers.refused


def _look(url: str) -> None:
    with httpx.Client(base_url=url, timeout=60) as http:
        for number in range(VIEWS):
            http.get(PAGES[number % len(PAGES)]).raise_for_status()
