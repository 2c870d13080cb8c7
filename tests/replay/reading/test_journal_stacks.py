"""Stacks as faulthandler writes them, of processes that died or were asked."""

import os
from pathlib import Path

from written import BEGUN, line, write

from worker.replay.reading.journals import read_journals
from worker.replay.reading.stacks import Told, read_stacks

ASKED = """\
Thread 0x0000000000007f55 (most recent call first):
  File "/p/test_x.py", line 9 in crossing
  File "/usr/lib/python3.11/threading.py", line 982 in run

Current thread 0x0000000000007f00 (most recent call first):
  File "/tools/flake_triage_probe/handlers.py", line 40 in wait
  File "/p/test_x.py", line 12 in worker
"""
FATAL = """\
Fatal Python error: Segmentation fault

Current thread 0x0000000000007f55 [loader] (most recent call first):
  File "/p/.venv/lib/python3.11/site-packages/numpy/x.py", line 1 in call
  File "/p/test_x.py", line 20 in native

Thread 0x0000000000007f66 (most recent call first):
  File "/tools/flake_triage_probe/asked.py", line 99 in _listen

Extension modules: numpy (total: 1)
"""
TOLD = Told(pid=7, project="/p", main=0x7F00, last_at=500)


def test_a_dump_that_was_asked_for_names_its_threads() -> None:
    crossing, main = read_stacks(ASKED.encode(), TOLD)

    assert (crossing.thread, crossing.is_current) == (f"thread-{0x7F55}", False)
    assert (main.thread, main.is_current, main.reason, main.t) == ("MainThread", True, "asked", 500)
    assert [(one.file, one.in_project) for one in crossing.frames] == [
        ("test_x.py", True),
        ("/usr/lib/python3.11/threading.py", False),
    ]
    assert [one.function for one in main.frames] == ["worker"]


def test_a_fatal_error_is_of_the_thread_that_died() -> None:
    (died,) = read_stacks(FATAL.encode(), TOLD)

    assert (died.thread, died.is_current, died.reason) == ("loader", True, "fatal")
    assert died.fatal == "Segmentation fault"
    assert [one.in_project for one in died.frames] == [False, True]


def test_dumps_one_after_the_other_are_told_apart() -> None:
    stacks = read_stacks((ASKED + ASKED + FATAL).encode(), TOLD)

    assert [one.reason for one in stacks] == ["asked"] * 4 + ["fatal"]


def test_a_dump_that_a_sender_waited_for_bears_its_time(tmp_path: Path) -> None:
    write(tmp_path, 7)
    write(
        tmp_path,
        9,
        line("signal", 40, target=7, signal=15, how="terminate", state="S", grew=False, stacks=[0, 80]),
    )
    (tmp_path / "7.stacks").write_text(ASKED, encoding="utf-8")

    journals = read_journals(tmp_path, "/p")
    (sent,) = journals.sent
    assert (sent.target_state, sent.target_cpu_grew, sent.how) == ("S", False, "terminate")
    assert {one.reason for one in sent.target_stacks} == {"terminate"}
    assert {one.t for one in journals.stacks} == {40}


def test_a_time_of_the_file_is_turned_into_the_journals_clock(tmp_path: Path) -> None:
    write(tmp_path, 7)
    (tmp_path / "7.stacks").write_text(FATAL, encoding="utf-8")
    os.utime(tmp_path / "7.stacks", ns=(5_000_000, 5_000_000))

    (stack,) = read_journals(tmp_path, "/p").stacks
    assert stack.t == 5_000_000 - int(str(BEGUN["wall"]))


def test_the_journals_own_frames_lend_their_source(tmp_path: Path) -> None:
    site = ["test_x.py", 12, "worker", "lock.acquire()", True]
    write(tmp_path, 7, line("lock", 20, lock=1, holder=None, site=site))
    (tmp_path / "7.stacks").write_text(ASKED, encoding="utf-8")

    main = next(one for one in read_journals(tmp_path, "/p").stacks if one.is_current)
    assert main.frames[0].source == "lock.acquire()"


def test_a_file_outside_is_never_read_for_its_source() -> None:
    head = "Current thread 0x0000000000007f00 (most recent call first):\n"
    content = head + '  File "/p/../etc/passwd", line 1 in x\n'

    (stack,) = read_stacks(content.encode(), TOLD)
    assert (stack.frames[0].source, stack.frames[0].in_project) == (None, False)
