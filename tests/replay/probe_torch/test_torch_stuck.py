"""A rank that is stuck in a collective no wrapper sees, asked from outside while it waits."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from probed import Tools
from torch_worlds import SCRIPT

from worker.replay.facts import Collective, Source
from worker.replay.reading.journals import read_journals


@pytest.fixture
def stuck(tools: Tools) -> Iterator[tuple[Tools, list[int]]]:
    """Two ranks of which the second waits in `full_tensor`, until the test ends."""
    script = shutil.copy(SCRIPT, tools.project)
    command = [sys.executable, "-W", "ignore", str(script), str(tools.project), "stuck"]
    with subprocess.Popen(
        command,
        env=tools.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
    ) as started:
        assert started.stdout is not None
        yield tools, json.loads(started.stdout.readline())["pids"]
        os.killpg(started.pid, 9)


def test_it_is_named_with_its_call_site_while_it_waits(stuck: tuple[Tools, list[int]]) -> None:
    tools, pids = stuck

    _until(lambda: _stuck_in(tools, pids[1], asking=True))
    lonely = _stuck_in(tools, pids[1])
    assert lonely is not None
    assert (lonely.group, lonely.op, lonely.source) == ("WORLD", "all_gather", Source.FLIGHT_RECORDER)
    assert lonely.site is not None
    assert (lonely.site.file, lonely.site.function) == ("worlds.py", "stuck")

    _ask(tools.journal, pids[1])
    _until(lambda: len((tools.journal / f"{pids[1]}.flight").read_text().splitlines()) > 1)
    last = json.loads((tools.journal / f"{pids[1]}.flight").read_text().splitlines()[-1])
    sites = [one["site"] for one in last["trace"]["entries"]]
    assert [one and one[2] for one in sites] == ["stuck"] * len(sites)


def _stuck_in(tools: Tools, pid: int, *, asking: bool = False) -> Collective | None:
    if asking:
        _ask(tools.journal, pid)
    found = read_journals(tools.journal, str(tools.project)).collectives
    waiting = (one for one in found if one.pid == pid and one.t_out is None)
    return next((one for one in waiting if one.op == "all_gather"), None)


def _ask(journal: Path, pid: int) -> None:
    fifo = journal / f"{pid}.ask"
    if fifo.exists():
        fifo.write_bytes(b"dump\n")


def _until(holds: Callable[[], object], within_s: float = 30.0) -> None:
    end = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.2)
