"""cgroup v2, controller by controller, where this machine has it; in the guest it has."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from boxes import NOBODY, REPOSITORY, new_box

from worker.replay.limits import MIB, Hold, Limits
from worker.replay.sandbox.cgroup_v2 import LEAF, WANTED, VersionTwo
from worker.replay.sandbox.group import Unavailable
from worker.replay.sandbox.hierarchies import own_groups
from worker.replay.sandbox.limiting import Limiter

OWN = own_groups().unified
GIVEN = set((OWN / "cgroup.controllers").read_text().split()) if OWN else set()
pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not set(WANTED) <= GIVEN,
    reason="cgroup v2 has not all controllers here",
)


@pytest.fixture
def delegated() -> Iterator[Path]:
    """A group as a service is given one: with all controllers, and empty."""
    assert OWN is not None
    _hand_on(OWN, WANTED)
    folder = OWN / f"delegated-{os.getpid()}"
    folder.mkdir()
    yield folder
    for one in sorted((Path(path) for path, _, _ in os.walk(folder)), reverse=True):
        one.rmdir()


def _hand_on(folder: Path, controllers: tuple[str, ...]) -> None:
    (folder / "cgroup.subtree_control").write_text(" ".join(f"+{one}" for one in controllers))


def test_all_three_controllers_are_enforced_by_one_group() -> None:
    limiter = Limiter(Limits(10, cpus=0.5, memory_bytes=256 * MIB, processes=33), as_root=False)
    try:
        assert limiter.by == "cgroup-v2"
        assert {limiter.cpus, limiter.memory, limiter.processes} == {Hold.ENFORCED}
        (join,) = limiter.on_entry.joins
        assert (join.parent / "cpu.max").read_text() == "50000 100000\n"
        assert (join.parent / "memory.max").read_text() == f"{256 * MIB}\n"
        assert (join.parent / "pids.max").read_text() == "33\n"
    finally:
        assert limiter.remove() == (0, 0)


def test_only_what_is_handed_on_is_enforced_and_the_rest_is_told(delegated: Path) -> None:
    _hand_on(delegated, ("pids",))
    inner = delegated / "inner"
    inner.mkdir()
    groups = VersionTwo(inner, "flake-triage.1.1.1")
    try:
        assert groups.controllers == {"pids", "freezer"}
        assert set(groups.missing) == {"cpu", "memory"}
        with pytest.raises(Unavailable):
            groups.limit_cpus(Limits(10, cpus=0.5))
    finally:
        assert groups.remove() == 0


AS_SERVICE = """
import os, subprocess, sys, time
from pathlib import Path
from worker.replay.limits import Limits
from worker.replay.sandbox.limiting import Limiter
from worker.replay.sandbox.hierarchies import own_groups

limiter = Limiter(Limits(10, cpus=0.25), as_root=False)
print(limiter.by, limiter.cpus, limiter.memory, limiter.processes, own_groups().unified.name, flush=True)
for note in limiter.notes:
    print(note)
code = "import time\\nt = time.monotonic()\\nwhile time.monotonic() - t < 1: pass"
def join():
    for path in limiter.on_entry.joins:
        path.write_text("0")
subprocess.run([sys.executable, "-c", code], preexec_fn=join)
usage = limiter.usage()
print(usage.throttled_periods > 0, usage.throttled_ns > 0, usage.cpu_ns > 0)
print(limiter.remove())
"""


def test_service_that_was_given_its_group_moves_to_a_leaf_and_limits_below_it(delegated: Path) -> None:
    """As nobody, who owns the group and nothing above it."""
    for path in (delegated, *(delegated / name for name in ("cgroup.procs", "cgroup.subtree_control"))):
        os.chown(path, NOBODY, NOBODY)

    def become() -> None:
        (delegated / "cgroup.procs").write_text("0")
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)

    done = subprocess.run(
        [sys.executable, "-c", AS_SERVICE],
        preexec_fn=become,
        env={"PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    told = done.stdout.splitlines()
    assert told[0] == f"cgroup-v2 enforced enforced enforced {LEAF}", done.stdout + done.stderr
    assert told[1:] == ["True True True", "(0, 0)"]


def test_group_with_others_in_it_is_left_as_it_is_and_nothing_is_claimed(delegated: Path) -> None:
    started = "sleep 600 > /dev/null 2>&1 & echo $!"  # an orphan: nobody's that we could move
    other = subprocess.run(["sh", "-c", started], capture_output=True, text=True, check=True).stdout.strip()
    (delegated / "cgroup.procs").write_text(other)
    try:
        with pytest.raises(Unavailable):
            VersionTwo(delegated, "flake-triage.1.1.2")
        assert (delegated / "cgroup.procs").read_text().split() == [other]
    finally:
        os.kill(int(other), signal.SIGKILL)
        until = time.monotonic() + 10
        while "populated 1" in (delegated / "cgroup.events").read_text() and time.monotonic() < until:
            time.sleep(0.01)


@pytest.mark.parametrize("walls", ["bubblewrap", "unshare"])
def test_trial_is_held_by_version_two_and_tells_its_peak(walls: str) -> None:
    with new_box("self", walls) as box:
        ran = box.run("held = bytearray(64 << 20)", memory_bytes=256 * MIB)
        assert ran.held["by"] == "cgroup-v2"
        assert 64 * MIB <= ran.usage["memory_peak_bytes"] <= 256 * MIB
        assert ran.usage["oom_kills"] == 0
        assert ran.cleanup["groups"] == 0
