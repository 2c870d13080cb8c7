"""A disk that is full for a while: the web refuses, the worker waits, and the end is the same.

The data folder is a small file system of its own, which only root can make.
"""

import contextlib
import json
import shutil
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import moments
import pytest
from killing import Ground, Undisturbed
from nursery import Nursery
from stage_play import Play, play
from stored_facts import differences

from app.domain.ids import DeliveryId
from app.settings import Settings
from app.standin.faults import slow
from app.standin.webhooks import Letter
from app.store import inbox
from app.store.session import read_only

DISK = "16m"
TOO_LARGE = Letter("ping", "larger-than-any-room-left", json.dumps({"zen": "Speak. " * 1_500_000}).encode())
WITHIN_S = 40.0
HOLD_S = 3.0
"""GitHub's answer takes that long: the disk is full by the time it comes."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no file system of its own can be mounted: {mounted.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(folder: Path) -> None:
    """To the last byte; room that the databases hold without using it is given back first."""
    for name in ("app", "engine"):
        with contextlib.closing(sqlite3.connect(folder / f"{name}.db", timeout=10)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with (folder / "ballast").open("wb", buffering=0) as ballast, contextlib.suppress(OSError):
        while ballast.write(b"\0" * 4096):
            pass


def until(holds: Callable[[], bool], play: Play) -> None:
    deadline_s, pause = time.monotonic() + WITHIN_S, threading.Event()
    while not holds():
        assert time.monotonic() < deadline_s, play.service.told()[-3000:]
        pause.wait(0.02)


def refuse_and_make_room(play: Play) -> None:
    """While it is full: the web refuses and keeps nothing, the worker says that it waits. Then it is not."""
    assert play.postman.send(TOO_LARGE) == [503]
    with read_only(play.quiet.inbox) as session:
        assert inbox.by_guid(session, DeliveryId(TOO_LARGE.guid)) is None
    until(lambda: _waits(play.service.told()), play)
    (play.service.folder / "ballast").unlink()


def _waits(log: str) -> bool:
    return any("full" in line and '"level": "warning"' in line for line in log.splitlines())


@pytest.mark.parametrize("chapter", [2, *(pytest.param(one, marks=pytest.mark.accept) for one in (1, 3, 4))])
def test_disk_that_is_full_for_a_while_changes_nothing(
    chapter: int, quiet: Undisturbed, nursery: Nursery, ground: Ground, disk: Path, tmp_path: Path
) -> None:
    with ground(tmp_path / "made") as made:
        shutil.copytree(made.data_dir, disk, dirs_exist_ok=True)
    for log in ("service.log", moments.LOG):  # what the test reads has room
        (disk / log).symlink_to(tmp_path / log)
    rescuers: list[threading.Thread] = []
    failures: list[BaseException] = []
    with play(nursery, Settings(data_dir=disk)) as disturbed:

        def rescue() -> None:
            try:
                listed = f"/actions/runs/{chapter + 1}/artifacts"
                until(lambda: any(one.endswith(listed) for one in disturbed.standin.requests), disturbed)
                fill(disk)
                refuse_and_make_room(disturbed)
            except BaseException as error:  # noqa: BLE001 - is raised where the test sees it
                failures.append(error)
                (disk / "ballast").unlink(missing_ok=True)

        def disturb(number: int) -> None:
            if number == chapter:
                disturbed.standin.state.faults.inject(f"*/runs/{chapter + 1}/artifacts", slow(HOLD_S))
                rescuers.append(threading.Thread(target=rescue))
                rescuers[0].start()

        found, _ = disturbed.run(disturb, until=lambda: not rescuers[0].is_alive())
        rescuers[0].join()
        assert failures == []
        assert differences(found, quiet.facts) == []
        assert disturbed.standin.duplicate_effects == 0
