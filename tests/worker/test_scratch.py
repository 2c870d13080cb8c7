"""The folder of a worker's downloads: what a killed one left goes, what others have stays."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from worker.scratch import PREFIX, own_folder, sweep

HOLDER = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from worker.scratch import own_folder
with own_folder() as folder:
    (folder / "download").write_bytes(b"half")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's temporary folder, as this process knows it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@contextmanager
def holder(place: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Another process with a folder of its own."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, place],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def test_folder_of_a_killed_worker_goes_at_the_next_start(place: Path) -> None:
    with holder(place) as (process, left):
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
        assert (left / "download").exists()
        with own_folder() as folder:
            assert list(place.iterdir()) == [folder]
    assert list(place.iterdir()) == []


def test_folder_of_a_living_worker_stays(place: Path) -> None:
    with holder(place) as (_process, other), own_folder() as folder:
        assert folder != other
        assert sweep(place) == 0
        assert (other / "download").read_bytes() == b"half"


def test_what_a_try_still_uses_at_the_end_is_left_to_the_next_sweep(place: Path) -> None:
    with own_folder() as folder:
        (folder / "download").write_bytes(b"half")
    assert folder.exists()
    assert sweep(place) == 0, "this process still holds it"


def test_names_of_strangers_lead_nowhere_and_stop_nothing(
    place: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    precious = tmp_path_factory.mktemp("precious")
    (precious / "kept").write_text("kept")
    (place / f"{PREFIX}link").symlink_to(precious)
    (place / f"{PREFIX}dangling").symlink_to(place / "nothing")
    (place / f"{PREFIX}file").write_text("not a folder")
    os.mkfifo(place / f"{PREFIX}fifo")
    (place / "flake-triage-demo-1").mkdir()
    inside = place / f"{PREFIX}dead"
    inside.mkdir()
    (inside / "link").symlink_to(precious)
    assert sweep(place) == 1
    assert not inside.exists()
    assert (precious / "kept").read_text() == "kept"
    assert len(list(place.iterdir())) == 5


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
def test_folder_of_another_user_stays(place: Path) -> None:
    foreign = place / f"{PREFIX}foreign"
    foreign.mkdir()
    os.chown(foreign, 65534, 65534)
    assert sweep(place) == 0
    assert foreign.exists()
