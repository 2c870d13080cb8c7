"""From the webhook that a run has ended to its comment on the pull request: 5,000 results in 8 files."""

import asyncio
import tempfile
import time
from pathlib import Path

import httpx
import processes
from measured import Row, at_most, percentile
from sender import Answers, Sender

from worker.upgrade import upgrade

JOBS, TESTS, RED = 8, 625, 2
WITHIN_S = 60.0


def measure(*, long: bool) -> list[Row]:
    pulls = 60 if long else 20
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "letters").mkdir()
        counts = (str(pulls), str(JOBS), str(TESTS), str(RED))
        with processes.github(str(folder / "letters"), *counts) as github:
            settings = processes.settings_for(folder, api_url=github.api_url, token=github.token)
            upgrade(settings)
            log = folder / "log"
            with processes.web(settings, log) as web, processes.worker(settings, log):
                ours: list[float] = []
                floor: list[float] = []
                for number in range(1, pulls + 1):
                    body = (folder / "letters" / f"{number}.json").read_bytes()
                    sent_s = time.monotonic()
                    asyncio.run(_deliver(web.url, body, number))
                    told = github.next_comment(within_s=WITHIN_S)
                    ours.append(told["at_s"] - sent_s)
                    floor.append(_bare(github.api_url, github.token, told["requests"]))
    note = (
        f"{pulls} runs one after the other, {JOBS * RED} red tests each; floor: the same requests to GitHub"
    )
    return [
        Row(
            "run_to_comment",
            f"p{round(100 * share)}, {JOBS * TESTS:,} results in {JOBS} files",
            percentile(ours, share),
            "s",
            min(ours),
            max(ours),
            percentile(floor, share),
            at_most(3.0) if share == 0.95 else None,
            note,
        )
        for share in (0.5, 0.95)
    ]


async def _deliver(url: str, body: bytes, number: int) -> None:
    sender, answers = Sender(url, [body], name=f"run-{number}"), Answers()
    await sender.send(rate=1000, seconds=0.001, into=answers)
    assert not answers.refused


def _bare(api_url: str, token: str, requests: list[str]) -> float:
    """Seconds for the reads that were made, by one bare client, with the results read by bare iterparse."""
    start = time.perf_counter()
    with httpx.Client(follow_redirects=True, headers={"Authorization": f"Bearer {token}"}) as http:
        for method, path in (line.split(" ", 1) for line in requests):
            if method == "GET" and path.startswith("/repos/"):
                http.get(api_url + path).read()
    return time.perf_counter() - start
