"""What is seen of a tree from outside: every process, how it began and ended, by either way of looking."""

import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from running import Project

from worker.replay.outside.connector import Happening, parse
from worker.replay.outside.observer import Observer
from worker.replay.outside.signal_trace import SignalMade, SignalTrace
from worker.replay.outside.signal_trace import parse as parse_signal
from worker.replay.outside_events import Executed, Forked, Left, read_events, to_line

TREE = """
import os, signal, subprocess, sys, time
def test_tree():
    forked = os.fork()
    if forked == 0:
        os._exit(7)
    aborted = os.fork()
    if aborted == 0:
        time.sleep(0.2)
        os.abort()
    execed = subprocess.Popen([sys.executable, "-c", "import sys, time; time.sleep(0.2); sys.exit(5)"],
                              env={**os.environ, "RANK": "1", "WORLD_SIZE": "2"})
    os.waitpid(forked, 0), os.waitpid(aborted, 0), execed.wait()
    orphans = subprocess.run([sys.executable, "-c",
        "import os, time\\nif os.fork() == 0: time.sleep(0.2); os._exit(9)"])
    time.sleep(0.6)
"""


def test_every_process_is_seen_with_its_parent_and_its_end(project: Project) -> None:
    project.write(TREE)
    facts = project.run("test_it.py", isolated=True).facts
    main = next(one for one in facts.processes if one.pid == facts.main)
    assert main.parent is None
    assert "pytest" in main.argv
    codes = sorted(one.code for one in facts.exits)
    assert codes == [-signal.SIGABRT, 0, 0, 5, 7, 9]
    orphan = next(one for one in facts.exits if one.code == 9)
    parents = {one.pid: one.parent for one in facts.processes}
    assert parents[parents[orphan.pid] or 0] == facts.main
    ranked = next(one for one in facts.processes if one.rank is not None)
    assert (ranked.rank, ranked.world, ranked.rank_source, ranked.began) == (1, 2, "env", "exec")
    assert all(facts.began <= one.t <= facts.ended for one in facts.exits)


SENDING = """
import multiprocessing, os, signal, time
def _work():
    while True: sum(range(1000))
def _idle(): time.sleep(60)
def test_impatience_with_work(): impatient(_work)
def test_impatience_with_idleness(): impatient(_idle)
def impatient(target):
    worker = multiprocessing.get_context("fork").Process(target=target)
    worker.start()
    worker.join(timeout=1.0)
    worker.terminate()
    worker.join()
    assert worker.exitcode == 0
"""


@pytest.mark.parametrize(
    ("test", "works"), [("test_impatience_with_work", True), ("test_impatience_with_idleness", False)]
)
def test_sender_of_a_signal_is_known_without_a_probe(project: Project, test: str, *, works: bool) -> None:
    try:
        SignalTrace().close()
    except OSError as refusal:
        pytest.skip(f"the kernel's trace events cannot be had here: {refusal}")
    project.write(SENDING)
    facts = project.run(f"test_it.py::{test}", isolated=True).facts
    (worker,) = [one for one in facts.processes if one.parent == facts.main]
    (sent,) = facts.sent
    assert (sent.sender, sent.target, sent.signal) == (facts.main, worker.pid, signal.SIGTERM)
    assert sent.target_cpu_grew is works


@pytest.mark.parametrize(
    "line",
    [
        "",
        " sleep-12 [000] d.... 1.000001: signal_generate: sig=11 errno=0 code=1 comm=x pid=12 grp=0 res=0",
        " sleep-12 [000] d.... 1.000001: signal_generate: sig=15 errno=0 code=0 comm=x pid=13 grp=1 res=1",
        "CPU:0 [LOST 12 EVENTS]",
    ],
)
def test_what_no_process_sent_is_no_signal_sent(line: str) -> None:
    assert parse_signal(line) is None


def test_line_of_the_kernels_trace_is_read_whatever_the_senders_name() -> None:
    sent = "signal_generate: sig=15 errno=0 code=0 comm=a pid=9 pid=13 grp=1 res=0"
    assert parse_signal(f" a b-c: 1-12 [001] d.Z1. 24427.000127: {sent}") == SignalMade(
        24_427_000_127_000, 12, 13, 15
    )


def test_looking_at_proc_sees_the_same_as_the_kernels_events(tmp_path: Path) -> None:
    code = "import os, time\nif os.fork() == 0: time.sleep(0.5); os._exit(9)\ntime.sleep(1); os.abort()"
    observer = Observer(tmp_path / "outside.jsonl", with_connector=False)
    assert observer.source == "pidfd"
    observer.start()
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as root:
        observer.follow(root.pid)
    _until_ended(observer, 2)
    observer.stop()
    events = list(read_events(tmp_path / "outside.jsonl"))
    forks = [one for one in events if isinstance(one, Forked)]
    ends = {one.host: one for one in events if isinstance(one, Left)}
    assert [one.host_parent for one in forks][1:] == [root.pid]
    if {one.source for one in ends.values()} == {"pidfd"}:  # since Linux 6.15
        codes = [(ends[one.host].status or 0) & 0x7F for one in forks]
        assert codes[0] == signal.SIGABRT
        assert ends[forks[1].host].status == 9 << 8


def _until_ended(observer: Observer, count: int) -> None:
    for _ in range(200):
        if len(observer.tree.ended()) >= count:
            return
        subprocess.run(["sleep", "0.02"], check=True)
    pytest.fail("the ends were not seen")


def test_kernels_events_are_not_believed_from_within_a_namespace() -> None:
    """Events reach such a place only while somebody outside listens too."""
    code = "from worker.replay.outside.connector import Connector; Connector()"
    command = ["unshare", "-U", "-r", sys.executable, "-c", code]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3])
    if "unshare failed" in ran.stderr:
        pytest.skip("no user namespace can be had here")
    assert "PermissionError: the kernel tells of processes in the initial namespaces only" in ran.stderr


HEAD = struct.pack("=IHHII", 76, 3, 0, 0, 0) + struct.pack("=IIIIHH", 1, 1, 0, 0, 40, 0)


@pytest.mark.parametrize(
    ("event", "happening"),
    [
        ((1, 5, 5, 6, 6), Happening(99, "fork", 6, 5)),
        ((1, 5, 5, 7, 6), None),  # a thread of 6
        ((2, 6, 6, 0, 0), Happening(99, "exec", 6, 0)),
        ((0x80000000, 6, 6, 11, 17), Happening(99, "exit", 6, 11)),
        ((0x80000000, 7, 6, 0, 17), None),
        ((0x200, 6, 6, 0, 0), None),
    ],
)
def test_kernels_event_is_read(event: tuple[int, ...], happening: Happening | None) -> None:
    what, *four = event
    assert parse(HEAD + struct.pack("=IIQiiii", what, 0, 99, *four)) == happening


@pytest.mark.parametrize("cut", [0, 10, 36, 51, 59])
def test_cut_event_is_none(cut: int) -> None:
    assert parse((HEAD + struct.pack("=IIQiiii", 1, 0, 99, 5, 5, 6, 6))[:cut]) is None


def test_torn_and_foreign_lines_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "outside.jsonl"
    good = [
        Forked(1, 10, 9, 3, 2, ("a",)),
        Executed(2, 10, ("b", "c"), is_python=True, rank=1),
        Left(3, 10, 256, "pidfd"),
    ]
    lines = [to_line(one) for one in good]
    foreign = ['{"event":"Nothing"}\n', "[]\n", '{"event":"Left","x":1}\n', "\x00\n"]
    path.write_text("".join([lines[0], *foreign, lines[1], lines[2], lines[0][:20]]))
    assert list(read_events(path)) == good


def test_link_in_place_of_a_record_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text(to_line(Left(3, 10, 256, "pidfd")))
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert list(read_events(tmp_path / "link")) == []
