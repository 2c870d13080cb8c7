"""Limits as a suspect meets them, by each backend that this machine has."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from boxes import Box, new_box

from worker.replay.limits import MIB, Hold, Limits
from worker.replay.sandbox.group import Unavailable
from worker.replay.sandbox.limiting import Limiter
from worker.replay.sandbox.open import open_sandbox
from worker.replay.suspect import Suspect

BURN = """
import time
begin, cpu = time.monotonic(), time.process_time()
while time.process_time() - cpu < 0.2: pass
print((time.process_time() - cpu) / (time.monotonic() - begin))
"""
FORK = """
import os, json
children, failed = [], 0
for _ in range(200):
    try:
        pid = os.fork()
    except BlockingIOError:
        failed += 1
        continue
    if pid == 0:
        import signal
        signal.pause()
    children.append(pid)
for pid in children:
    os.kill(pid, 9)
print(json.dumps([len(children), failed]))
"""
FILL = """
import errno, json, os
def fill(path):
    try:
        with open(path, "wb") as file:
            for _ in range(64):
                file.write(bytes(1 << 20)); file.flush()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "all"
print(json.dumps([fill("big"), fill("/tmp/big"), fill("/dev/shm/big")]))
"""
PORTS = """
import json, socket
held, taken = [], None
for _ in range(64):
    one = socket.socket()
    try:
        one.bind(("127.0.0.1", 0))
    except OSError as error:
        taken = error.errno
        break
    held.append(one)
print(json.dumps([len(held), taken]))
"""
GROW = "held = [bytearray(1 << 20) for _ in range(400)]"


def _by_groups() -> str | None:
    """The kind of control groups that this machine gives us for a CPU quota."""
    try:
        limiter = Limiter(Limits(10), as_root=False, backends=("cgroup-v2", "cgroup-v1"))
    except Unavailable:
        return None
    limiter.remove()
    return limiter.by if limiter.cpus is Hold.ENFORCED else None


needs_groups = pytest.mark.skipif(_by_groups() is None, reason="no control groups are ours to make here")


@pytest.fixture(scope="module", params=["bubblewrap", "unshare"])
def box(request: pytest.FixtureRequest) -> Iterator[Box]:
    with new_box("self", request.param) as made:
        yield made


@needs_groups
def test_quota_of_a_group_is_enforced_and_its_throttling_is_counted(box: Box) -> None:
    ran = box.run(BURN, cpus=0.1)
    assert ran.held["cpus"] == "enforced"
    assert float(ran.out) < 0.15
    assert ran.usage["throttled_periods"] >= 1  # a busy machine gives it hardly more than that itself
    assert ran.usage["throttled_ns"] > 0
    assert ran.usage["cpu_ns"] > 100_000_000


def test_stop_and_continue_approximates_a_quota_and_says_so(box: Box) -> None:
    ran = box.run(BURN, cpus=0.1, backends=("stop-and-continue",))
    assert ran.held["by"] == "stop-and-continue"
    assert ran.held["cpus"] == "approximated"
    assert any("stopping and continuing" in note for note in ran.held["notes"])
    assert float(ran.out) < 0.2
    assert ran.usage["throttled_periods"] >= 1


def test_affinity_gives_whole_cores_and_says_so(box: Box) -> None:
    ran = box.run("import os; print(len(os.sched_getaffinity(0)))", cpus=0.5, backends=("affinity",))
    assert int(ran.out) == 1
    assert "0.5 CPUs are held as 1 whole ones." in ran.held["notes"]


@needs_groups
def test_memory_limit_kills_and_its_own_counter_rises(box: Box) -> None:
    ran = box.run(GROW, memory_bytes=128 * MIB)
    assert ran.status == 128 + 9
    assert ran.usage["oom_kills"] >= 1
    assert ran.usage["memory_peak_bytes"] <= 128 * MIB


def test_memory_without_a_controller_is_bounded_per_process_and_never_called_enforced(box: Box) -> None:
    ran = box.run(GROW, memory_bytes=128 * MIB, backends=("stop-and-continue",))
    assert ran.held["memory"] == "approximated"
    assert "MemoryError" in ran.out
    assert ran.usage["oom_kills"] is None


@needs_groups
def test_processes_are_bounded_and_all_end_with_the_trial(box: Box) -> None:
    ran = box.run(FORK, processes=40)
    made, failed = ran.said
    assert made < 40
    assert made + failed == 200
    assert ran.cleanup["processes"] == 0


def test_what_is_written_to_project_tmp_and_shm_is_bounded_together(box: Box) -> None:
    ran = box.run(FILL, disk_bytes=48 * MIB)
    assert ran.said[1:] == ["ENOSPC", "ENOSPC"]
    assert ran.said[0] in {"ENOSPC", "EFBIG"}


def test_port_range_is_narrowed_in_its_own_network(box: Box) -> None:
    before = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text()
    held, errno = box.run(PORTS, ports=32).said
    assert 0 < held <= 32
    assert errno == 98
    assert Path("/proc/sys/net/ipv4/ip_local_port_range").read_text() == before


@needs_groups
def test_lowered_weight_is_written_where_the_kernel_has_it() -> None:
    limiter = Limiter(Limits(10, low_weight=True), as_root=False)
    try:
        folders = [path.parent for path in limiter.on_entry.joins]
        written = {path.read_text().strip() for folder in folders for path in folder.glob("cpu.[sw]*h*")}
        assert written & {"64", "7"}
    finally:
        assert limiter.remove() == (0, 0)


@pytest.mark.parametrize(
    "backends", [("cgroup-v2", "cgroup-v1"), ("stop-and-continue",)], ids=["groups", "none"]
)
def test_frozen_tree_stands_still_until_it_is_thawed(tmp_path: Path, backends: tuple[str, ...]) -> None:
    if "cgroup-v1" in backends and _by_groups() is None:
        pytest.skip("no control groups are ours to make here")
    (tmp_path / "project").mkdir()
    suspect = Suspect("t", tmp_path / "project", Path(sys.executable), isolated=False)
    tick = "import time\nwhile True: print(1, flush=True); time.sleep(0.01)"
    with open_sandbox(
        Limits(30), suspect, tmp_path / "scratch", tools=tmp_path, journal=None, backends=backends
    ) as box:
        process = box.launch([sys.executable, "-c", tick], {}, stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.read(2) == b"1\n"
        assert box.freeze()
        os.set_blocking(process.stdout.fileno(), False)
        time.sleep(0.2)  # what was under way when it was frozen
        process.stdout.read()
        time.sleep(0.2)
        assert not process.stdout.read()
        box.thaw()
        os.set_blocking(process.stdout.fileno(), True)
        assert process.stdout.read(2) == b"1\n"
        box.kill()
        assert process.wait(timeout=10) != 0
        process.stdout.close()
