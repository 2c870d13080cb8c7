"""After a trial, and after an engine that was killed in the middle of one, nothing is left."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from boxes import REPOSITORY, new_box

from worker.replay.limits import MIB, Limits
from worker.replay.sandbox.hierarchies import own_groups
from worker.replay.sandbox.leftovers import sweep
from worker.replay.sandbox.open import open_sandbox
from worker.replay.sandbox.refused import Refused
from worker.replay.suspect import Suspect

ENGINE = """
import sys, subprocess, time
from pathlib import Path
from worker.replay.limits import Limits
from worker.replay.sandbox.open import open_sandbox
from worker.replay.suspect import Suspect

place, isolated = Path(sys.argv[1]), sys.argv[2] == "isolated"
walls, backends = sys.argv[3], sys.argv[4].split(",")
suspect = Suspect("t", place / "project", Path(sys.executable), isolated=isolated)
box = open_sandbox(Limits(60, cpus=1), suspect, place / "scratch", tools=place / "tools",
                   journal=place / "journal", walls=(walls,), backends=backends)
code = '''
import os, subprocess, sys, time
marker = sys.argv[1]
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", marker], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
print("up", flush=True)
time.sleep(600)
'''
process = box.launch([str(box.view.python), "-c", code, sys.argv[5]], {}, stdout=subprocess.PIPE)
print(process.stdout.readline().decode(), end="", flush=True)
time.sleep(600)
"""


def _alive(marker: str) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = path.read_bytes().split(b"\0")
            if marker.encode() in words and ENGINE.encode() not in words:
                found.append(int(path.parent.name))
    return found


def _groups_of(pid: int) -> list[Path]:
    own = own_groups()
    places = [*own.v1.values(), *([own.unified] if own.unified else [])]
    return [path for place in places for path in place.glob(f"flake-triage.{pid}.*")]


@pytest.fixture
def place() -> Iterator[Path]:
    with new_box("self", "unshare") as box:
        yield box.place


@pytest.mark.parametrize(
    ("isolated", "walls", "backends"),
    [
        ("isolated", "bubblewrap", "cgroup-v2,cgroup-v1"),
        ("isolated", "unshare", "cgroup-v2,cgroup-v1"),
        ("isolated", "unshare", "stop-and-continue"),
        ("open", "bubblewrap", "cgroup-v2,cgroup-v1"),
        ("open", "bubblewrap", "stop-and-continue"),
    ],
)
def test_engine_killed_by_9_leaves_nothing_that_the_next_start_does_not_remove(
    place: Path, isolated: str, walls: str, backends: str
) -> None:
    marker = f"left-{os.getpid()}-{place.name}"
    with subprocess.Popen(
        [sys.executable, "-c", ENGINE, str(place), isolated, walls, backends, marker],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(REPOSITORY), "PATH": os.defpath},
        text=True,
    ) as engine:
        assert engine.stdout is not None
        if engine.stdout.readline() != "up\n":
            assert engine.stderr is not None
            said = engine.stderr.read()
            assert "Refused" in said, said
            pytest.skip(said.splitlines()[-1])
        assert _alive(marker)
        engine.send_signal(signal.SIGKILL)
        engine.wait()
    sweep()
    until = time.monotonic() + 10
    while (_alive(marker) or _groups_of(engine.pid)) and time.monotonic() < until:
        time.sleep(0.02)
        sweep()
    assert _alive(marker) == []
    assert _groups_of(engine.pid) == []
    assert list((place / "scratch").iterdir()) == []


def test_sweep_leaves_the_living_alone(place: Path) -> None:
    suspect = Suspect("t", place / "project", Path(sys.executable), isolated=False)
    with open_sandbox(Limits(60), suspect, place / "scratch", tools=place / "tools", journal=None) as box:
        process = box.launch([sys.executable, "-c", "import time; time.sleep(600)"], {})
        sweep()
        assert process.poll() is None
        assert box.members()
    assert process.poll() is not None


def test_orphans_of_an_open_trial_end_with_it_and_are_named_before(place: Path) -> None:
    suspect = Suspect("t", place / "project", Path(sys.executable), isolated=False)
    marker = f"orphan-{os.getpid()}-{place.name}"
    code = (
        "import subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, '-c', {LISTEN!r}, {marker!r}], start_new_session=True,"
        " stdout=subprocess.PIPE).stdout.readline()\n"
        "print('up', flush=True); time.sleep(600)"
    )
    with open_sandbox(Limits(60), suspect, place / "scratch", tools=place / "tools", journal=None) as box:
        process = box.launch([sys.executable, "-c", code], {}, stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        named = [one for one in box.survivors() if marker in one.argv]
        assert len(named) == 1
        assert len(named[0].ports) == 1
        process.stdout.close()
        cleanup = box.destroy()
    assert cleanup.is_clean
    assert _alive(marker) == []


LISTEN = """
import socket, time
listening = socket.create_server(("127.0.0.1", 0))
print("up", flush=True)
time.sleep(600)
"""


def test_destroying_twice_is_destroying_once(place: Path) -> None:
    suspect = Suspect("t", place / "project", Path(sys.executable), isolated=False)
    box = open_sandbox(Limits(60), suspect, place / "scratch", tools=place / "tools", journal=None)
    box.launch([sys.executable, "-c", "import time; time.sleep(600)"], {})
    first = box.destroy()
    assert first.is_clean
    assert box.destroy() is first
    with pytest.raises(RuntimeError):
        box.launch([sys.executable, "-c", "pass"], {})


def test_refused_where_no_walls_can_be_had_and_nothing_is_left(place: Path) -> None:
    suspect = Suspect("t", place / "project", Path(sys.executable))
    with pytest.raises(Refused, match="--no-isolation"):
        open_sandbox(Limits(60), suspect, place / "scratch", tools=place / "tools", journal=None, walls=())
    assert list((place / "scratch").iterdir()) == []


def test_program_that_is_not_there_is_refused_with_its_name(place: Path) -> None:
    suspect = Suspect("t", place / "project", Path(sys.executable), isolated=False)
    with open_sandbox(Limits(60), suspect, place / "scratch", tools=place / "tools", journal=None) as box:
        with pytest.raises(Refused, match="No such file"):
            box.launch(["/nowhere/program"], {})
        assert box.destroy().is_clean


def test_project_larger_than_its_bound_is_refused_where_it_is_copied(place: Path) -> None:
    (place / "project" / "big").write_bytes(bytes(3 * MIB))
    suspect = Suspect("t", place / "project", Path(sys.executable), isolated=False)
    with pytest.raises(Refused, match="larger than"):
        open_sandbox(
            Limits(60, disk_bytes=2 * MIB), suspect, place / "scratch", tools=place / "tools", journal=None
        )


def test_links_that_a_suspect_leaves_in_the_journal_folder_are_removed(place: Path) -> None:
    suspect = Suspect("t", place / "project", Path(sys.executable))
    journal = place / "journal"
    code = (
        "import os; j = '/flake-triage/journal'; os.symlink('/etc/shadow', j + '/1.jsonl');"
        " os.mkfifo(j + '/2.jsonl'); open(j + '/3.jsonl', 'w').write('kept')"
    )
    with open_sandbox(
        Limits(60), suspect, place / "scratch", tools=place / "tools", journal=journal, walls=("unshare",)
    ) as box:
        assert box.launch([str(box.view.python), "-c", code], {}).wait() == 0
    assert [path.name for path in journal.iterdir()] == ["3.jsonl"]
    assert box.destroy().notes


def test_closed_project_and_closed_interpreter_are_used_all_the_same(place: Path) -> None:
    """As people have them whose files are for nobody else."""
    (place / "project" / "read.txt").write_text("read")
    venv = place / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(sys.executable)
    (venv / "pyvenv.cfg").write_text(f"home = {Path(sys.base_prefix, 'bin')}\n")
    for folder in ("project", "venv"):
        (place / folder).chmod(0o700)
    code = "print(open('read.txt').read()); open('read.txt', 'w').write('x')"
    for walls in ("bubblewrap", "unshare"):
        suspect = Suspect("t", place / "project", venv / "bin" / "python")
        with open_sandbox(
            Limits(60), suspect, place / "scratch", tools=place / "tools", journal=None, walls=(walls,)
        ) as box:
            process = box.launch(
                [str(box.view.python), "-c", code], {}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
            assert process.communicate()[0] == b"read\n"
            assert process.returncode == 0


def test_groups_below_another_group_than_ours_are_found_by_their_record(place: Path) -> None:
    """An engine in a session of its own, as service managers and shells make them."""
    other = _folder_to_be_in()
    if other is None:
        pytest.skip("no control group is ours to make here")
    code = (
        "import os, sys, time; from pathlib import Path\n"
        f"Path({str(other / 'cgroup.procs')!r}).write_text('0')\n" + ENGINE.removesuffix("time.sleep(600)\n")
    )
    with subprocess.Popen(
        [sys.executable, "-c", code + "time.sleep(600)", str(place), "open", "unshare", "cgroup-v1", "m"],
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(REPOSITORY), "PATH": os.defpath},
        text=True,
    ) as engine:
        assert engine.stdout is not None
        assert engine.stdout.readline() == "up\n"
        assert list(other.glob("flake-triage.*"))
        engine.send_signal(signal.SIGKILL)
        engine.wait()
    sweep()
    until = time.monotonic() + 10
    while time.monotonic() < until:
        with suppress(OSError):
            other.rmdir()
            break
        time.sleep(0.02)
    assert not other.exists()


def _folder_to_be_in() -> Path | None:
    own = own_groups().v1.get("memory")
    if own is None:
        return None
    folder = own / f"test-session-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError:
        return None
    return folder
