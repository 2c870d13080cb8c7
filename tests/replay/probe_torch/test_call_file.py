"""The mapped file of records: what is written is there after any end, and reading it never fails."""

import os
import signal
import struct
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.replay.facts import Collective
from worker.replay.probe import calls as layout
from worker.replay.reading.calls import CallTail
from worker.replay.reading.record import Record

DECLARED = [
    {"k": "thread", "t": 1, "th": "MainThread", "id": 1},
    {"k": "group", "t": 2, "th": "MainThread", "id": 3, "group": "WORLD", "ranks": [0, 1]},
    {"k": "site", "t": 2, "th": "MainThread", "id": 9, "frame": ["test_it.py", 4, "work", "reduce()", True]},
    {
        "k": "signature", "t": 3, "th": "MainThread", "id": 7, "op": "all_reduce", "reduce_op": "MIN",
        "shapes": [[2, 3]], "dtypes": ["int64"], "site": 9,
    },
]  # fmt: skip
RECORD = Record(4711, DECLARED)


def read(path: Path) -> tuple[Collective, ...]:
    return CallTail(path).read(RECORD)


def test_a_record_is_a_collective_with_all_that_was_declared(tmp_path: Path) -> None:
    path = tmp_path / "4711.calls"
    file = layout.CallFile(str(path))

    file.leave(file.enter(100, 1, 3, 7, 1, 1, 0), 150)

    found = read(path)[0]
    assert (found.pid, found.group, found.number, found.op, found.reduce_op) == (
        4711,
        "WORLD",
        1,
        "all_reduce",
        "MIN",
    )
    assert (found.t_in, found.t_out, found.root, found.peer, found.thread) == (
        100,
        150,
        1,
        None,
        "MainThread",
    )
    assert (found.shapes, found.dtypes) == (((2, 3),), ("int64",))
    assert found.site is not None
    assert found.site.line == 4


def test_waits_failures_and_peers_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "4711.calls"
    file = layout.CallFile(str(path))

    waited = file.enter(100, 1, 3, 7, 1, layout.NO_RANK, layout.IS_ASYNC)
    file.wait(waited, 120)
    failed = file.enter(130, 2, 3, 7, 1, layout.NO_RANK, 0)
    file.fail(failed, 140, 99)
    file.enter(150, 1, 3, 7, 1, 0, layout.IS_P2P)

    first, second, third = read(path)
    assert (first.is_async, first.waiting_since, first.t_out, first.root) == (True, 120, None, None)
    assert (second.error, second.t_out) == (99, 140)
    assert (third.peer, third.root) == (0, None)


def test_a_reader_that_comes_back_sees_ends_and_new_records(tmp_path: Path) -> None:
    path = tmp_path / "4711.calls"
    file, tail = layout.CallFile(str(path)), CallTail(path)
    first = file.enter(100, 1, 3, 7, 1, -1, 0)

    assert [one.t_out for one in tail.read(RECORD)] == [None]
    file.leave(first, 110)
    file.enter(120, 2, 3, 7, 1, -1, 0)
    assert [(one.number, one.t_out) for one in tail.read(RECORD)] == [(1, 110), (2, None)]
    assert not tail.torn


def test_the_file_grows_and_then_counts_what_it_cannot_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "MOST_CHUNKS", 2)
    path = tmp_path / "4711.calls"
    file = layout.CallFile(str(path))
    room = 2 * (1 << layout.CHUNK_BITS) - 1

    for number in range(1, room + 6):
        file.leave(file.enter(number, number, 3, 7, 1, -1, 0), number + 1)

    tail = CallTail(path)
    found = tail.read(RECORD)
    assert [one.number for one in found] == list(range(1, room + 1))
    assert tail.torn
    assert path.stat().st_size == 2 * layout.CHUNK_BYTES


def test_what_was_written_survives_sigkill(tmp_path: Path) -> None:
    path = tmp_path / "4711.calls"
    child = os.fork()
    if child == 0:
        file = layout.CallFile(str(path))
        file.leave(file.enter(100, 1, 3, 7, 1, -1, 0), 110)
        file.enter(time.monotonic_ns(), 2, 3, 7, 1, -1, 0)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)

    assert [(one.number, one.t_out is None) for one in read(path)] == [(1, False), (2, True)]


def test_a_folder_that_is_gone_costs_the_records_only(tmp_path: Path) -> None:
    file = layout.CallFile(str(tmp_path / "gone" / "1.calls"))

    place = file.enter(100, 1, 3, 7, 1, -1, 0)
    file.leave(place, 110)
    file.wait(place, 110)
    file.fail(place, 110, 1)
    assert place == 0


def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("mine")
    (tmp_path / "1.calls").symlink_to(kept)

    layout.CallFile(str(tmp_path / "1.calls")).enter(100, 1, 3, 7, 1, -1, 0)

    assert kept.read_text() == "mine"
    assert read(tmp_path / "1.calls") == ()


def test_a_record_that_was_being_written_is_torn_until_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "4711.calls"
    file = layout.CallFile(str(path))
    file.enter(100, 1, 3, 7, 1, -1, 0)
    file.enter(200, 2, 3, 7, 1, -1, 0)
    half = path.read_bytes()
    at = layout.RECORD.size
    path.write_bytes(half[: 2 * at - 8] + bytes(8) + half[2 * at :])
    tail = CallTail(path)

    assert [one.number for one in tail.read(RECORD)] == [2]
    assert tail.torn
    path.write_bytes(half)
    assert [one.number for one in tail.read(RECORD)] == [1, 2]
    assert not tail.torn


def _file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = layout.CallFile(folder + "/1.calls")
        for number in range(1, 9):
            file.leave(file.enter(number, number, 3, 7, 1, -1, 0), number + 1)
        return Path(folder, "1.calls").read_bytes()[: 16 * layout.RECORD.size]


WHOLE = _file()


@given(st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE) - 1), st.binary(min_size=0, max_size=100))
def test_any_cut_and_any_bytes_give_collectives_or_none(cut: int, at: int, noise: bytes) -> None:
    spoilt = (WHOLE[:at] + noise + WHOLE[at + len(noise) :])[:cut]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "1.calls")
        path.write_bytes(spoilt)
        found = CallTail(path).read(RECORD)

    assert all(one.t_in > 0 and (one.t_out is None or one.t_out >= one.t_in) for one in found)
    assert len(found) <= len(WHOLE) // layout.RECORD.size


@given(st.binary(max_size=300))
def test_foreign_bytes_hold_no_collectives(noise: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "1.calls")
        path.write_bytes(b"X" + noise)
        tail = CallTail(path)
        assert tail.read(RECORD) == ()
        assert tail.torn


def test_numbers_that_nobody_declared_are_said_to_be_unknown(tmp_path: Path) -> None:
    path = tmp_path / "1.calls"
    header = layout.HEADER.pack(layout.MAGIC, layout.RECORD.size, 0, 0)
    record = struct.pack("<qqqqIIIIiIq", 5, 0, 0, 0, 2**32 - 1, 8, 8, 8, -(2**31), 0, layout.MARK)
    path.write_bytes(header.ljust(layout.RECORD.size, b"\0") + record)

    found = read(path)[0]
    assert (found.op, found.group, found.thread, found.root) == ("?", "?8", "?", None)
