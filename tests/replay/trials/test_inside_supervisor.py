"""The supervisor alone, on every Python from 3.9 to 3.13 that is here: reaps, names, asks, ends."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from running import living_with, until

from worker.replay.outside.channel import SupervisorChannel
from worker.replay.outside.command import lay_out_tools, supervisor_command

HERE = Path(__file__).parents[3]
OLDEST, NEWEST = 9, 13
_VERSION = re.compile(r"3\.([0-9]{1,2})(\.|$)")


def pythons() -> list[object]:
    """Our own, and those that pyenv keeps beside it: the oldest and the newest in every change."""
    versions = Path(sys.base_prefix).parent
    found: dict[int, str] = {}
    for folder in versions.iterdir() if versions.name == "versions" else []:
        version = _VERSION.match(folder.name)
        if version and OLDEST <= int(version[1]) <= NEWEST and (folder / "bin/python").exists():
            found[int(version[1])] = str(folder / "bin/python")
    found[sys.version_info.minor] = sys.executable
    often = {min(found), sys.version_info.minor, max(found)}
    return [
        pytest.param(found[one], id=f"3.{one}", marks=() if one in often else (pytest.mark.accept,))
        for one in sorted(found)
    ]


@contextmanager
def supervising(
    python: str,
    tools: Path,
    argv: list[str],
    journal: Path | None = None,
    places: Mapping[str, str] | None = None,
) -> Iterator[SupervisorChannel]:
    """As a package of ours where the Python is ours, else as the copy that stands in a trial's tools."""
    channel = SupervisorChannel()
    channel.order(argv, {"PATH": os.defpath}, str(tools), journal and str(journal), places)
    if python == sys.executable:
        command = [python, "-m", "worker.replay.inside", str(channel.theirs)]
    else:
        lay_out_tools(tools, tools, None)
        command = supervisor_command(Path(python), tools, channel.theirs)
    with subprocess.Popen(command, pass_fds=(channel.theirs,), cwd=HERE) as process:
        channel.give_away()
        try:
            yield channel
        finally:
            channel.close()
            process.wait(timeout=20)


def reports(channel: SupervisorChannel) -> Iterator[Mapping[str, object]]:
    while (report := channel.receive(20)) is not None:
        assert report
        yield report


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    (tmp_path / "tools").mkdir()
    return tmp_path / "tools"


@pytest.mark.parametrize("python", pythons())
def test_orphans_are_reaped_and_survivors_named_on_every_python(python: str, tools: Path) -> None:
    shell = "(exec sh -c 'exit 4') & (sleep 0.1; exit 5) & sleep 0.3; sleep 61.5 & exit 6"
    with supervising(python, tools, ["sh", "-c", shell]) as channel:
        heard = list(reports(channel))
    began = heard[0]
    assert began["said"] == "began"
    ends = {one["pid"]: one["status"] for one in heard if one["said"] == "exit"}
    assert ends[began["pid"]] == 6 << 8
    (survivor,) = [one for one in heard if one["said"] == "survivor"]
    assert survivor["argv"] == ["sleep", "61.5"]
    assert ends[survivor["pid"]] == 9
    assert heard[-1]["said"] == "ended"
    assert not living_with("sleep 61.5")


def test_engine_that_is_gone_is_the_end_of_the_tree(tools: Path) -> None:
    with supervising(sys.executable, tools, ["sh", "-c", "trap '' TERM; sleep 62.5; sleep 62.5"]):
        until(lambda: bool(living_with("sleep 62.5")))
    assert not living_with("sleep 62.5")


def test_command_to_end_is_obeyed_and_whom_it_killed_is_no_survivor(tools: Path) -> None:
    with supervising(sys.executable, tools, ["sleep", "63.5"]) as channel:
        until(lambda: bool(living_with("sleep 63.5")))
        channel.tell("end")
        assert [one["said"] for one in reports(channel)] == ["began", "exit", "ended"]


def test_process_without_a_handler_is_not_asked_for_stacks(tools: Path) -> None:
    """The signal that asks would end it."""
    with supervising(sys.executable, tools, ["sleep", "64.5"]) as channel:
        until(lambda: bool(living_with("sleep 64.5")))
        channel.tell("ask")
        heard = reports(channel)
        assert next(heard)["said"] == "began"
        assert next(heard)["stacks"] == []
        assert living_with("sleep 64.5")


ASKED = """
import faulthandler, os, signal, sys
folder = sys.argv[1]
faulthandler.register(signal.SIGRTMIN + 5, file=open(f"{folder}/stacks", "w"), all_threads=True, chain=False)
os.mkfifo(f"{folder}/{os.getpid()}.ask")
asks = os.open(f"{folder}/{os.getpid()}.ask", os.O_RDWR)
open(f"{folder}/ready", "w").close()
print(os.read(asks, 64))
"""


def test_process_that_can_answer_is_asked_for_its_stacks_and_its_records(tools: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", ASKED, str(tmp_path)]
    with supervising(sys.executable, tools, command, tmp_path) as channel:
        until((tmp_path / "ready").exists)
        channel.tell("ask")
        heard = {str(one["said"]): one for one in reports(channel)}
    main = heard["began"]["pid"]
    assert heard["asked"]["stacks"] == heard["asked"]["records"] == [main]
    assert heard["exit"]["status"] == 0  # it was answered, not ended
    until(lambda: "most recent call first" in (tmp_path / "stacks").read_text())


def test_what_cannot_be_started_is_told(tools: Path) -> None:
    with supervising(sys.executable, tools, ["/no/such/python"]) as channel:
        (only,) = list(reports(channel))
    assert only["said"] == "not-started"
    assert "/no/such/python" in str(only["why"])


def test_files_that_the_tree_left_are_named_and_those_of_before_are_not(tools: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    (place / "pytest-of-us").mkdir(parents=True)
    (place / "old").touch()
    make = "os.mkdir('in'); [open(one, 'w') for one in ('in/new', 'pytest-of-us/kept', '.coverage')]"
    argv = [sys.executable, "-c", f"import os; os.chdir({str(place)!r}); {make}"]
    with supervising(sys.executable, tools, argv, places={"tmp": str(place), "gone": "/nowhere"}) as channel:
        told = [report for report in reports(channel) if report["said"] == "left"]
    assert {one["place"]: one["names"] for one in told} == {"tmp": ["in/new"], "gone": []}
