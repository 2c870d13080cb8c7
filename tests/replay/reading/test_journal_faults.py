"""Journals cut anywhere, spoilt, hostile or still being written: what is whole is read, the rest named."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from written import BEGUN, frame, line, text, write

from worker.replay.reading import fields
from worker.replay.reading.journals import JournalReader, Journals, read_journals
from worker.replay.reading.stacks import Told, read_stacks

EVENTS = [
    BEGUN,
    line("site", 11, id=1, frame=frame("worker")),
    line("init", 12, call=1, group="WORLD", rank=0, world=2, site=1),
    line("out", 13, call=1, error=None),
    line("group", 14, group="WORLD", ranks=[0, 1], timeout_s=3.0),
    line("raised", 15, seen="handled", type="ValueError", message="bäd 🙂", id=5, frames=[frame("worker")]),
    line("put", 16, n=1, channel="pipe:5", text="x", trace=False, rank=0),
    line("sent", 17, n=1, channel="pipe:5", digest="1-aa"),
    line("teardown", 18, call=2, group="WORLD"),
    line("out", 19, call=2, error=None),
    line("done", 20, ending="returned"),
    line("exiting", 21, code=0),
]
KINDS = sorted(
    {str(one["k"]) for one in EVENTS} | {"child", "signal", "lock", "phase", "pipe", "got", "store"}
)
NAMES = sorted(
    {name for one in EVENTS for name in one} | {"stacks", "target", "code", "when", "test", "cause", "seen"}
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["uncaught", "call"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=10,
)


def counted(journals: Journals) -> int:
    return sum(
        len(getattr(journals, name)) for name in Journals.__slots__ if name not in {"torn", "troubles"}
    )


def test_a_journal_cut_at_any_byte_keeps_what_was_whole(tmp_path: Path) -> None:
    whole = text(EVENTS)
    file = tmp_path / "7.jsonl"
    before = 0
    for cut in range(len(whole) + 1):
        file.write_bytes(whole[:cut])
        journals = read_journals(tmp_path, "/p")
        assert bool(journals.torn) is (cut > 0 and not whole[:cut].endswith(b"\n"))
        now = counted(journals)
        assert now >= before
        before = now
    assert journals.processes[0].ending == "returned"
    assert journals.groups[0].destroyed_at == 19


def test_reading_while_it_is_written_comes_to_the_same(tmp_path: Path) -> None:
    whole = text(EVENTS)
    reader = JournalReader(tmp_path, "/p")
    for begin in range(0, len(whole), 37):
        with (tmp_path / "7.jsonl").open("ab") as file:
            file.write(whole[begin : begin + 37])
        reader.read()

    assert reader.read() == read_journals(tmp_path, "/p")
    assert reader.read().torn == ()


@given(
    st.lists(
        st.fixed_dictionaries(
            {"k": st.sampled_from(KINDS), "t": st.integers(0, 2**70)},
            optional={name: JSON for name in NAMES if name not in {"k", "t"}},
        ),
        max_size=12,
    )
)
@settings(max_examples=40, deadline=None)
def test_events_of_any_shape_raise_nothing_and_can_be_written_again(events: list[dict[str, object]]) -> None:
    with TemporaryDirectory() as name:
        write(Path(name), 7, *events)
        journals = read_journals(Path(name), "/p")

    repr(journals).encode("utf-8")
    assert len(journals.processes) == 1


@given(st.binary(max_size=300))
def test_bytes_of_any_kind_raise_nothing(content: bytes) -> None:
    with TemporaryDirectory() as name:
        for suffix in ("jsonl", "stacks", "calls", "flight"):
            (Path(name) / f"7.{suffix}").write_bytes(content)
        assert read_journals(Path(name), "/p").processes == ()


@given(
    st.text(
        st.sampled_from('Thread 0x7f(most recent call first):\n  File "/p/x", line 1 in Fatal Python error'),
        max_size=400,
    )
)
def test_stacks_of_any_text_raise_nothing(content: str) -> None:
    read_stacks(content.encode(), Told(7, "/p", None, 0))


def test_a_spoilt_line_loses_itself_only(tmp_path: Path) -> None:
    lines = text(EVENTS).splitlines(keepends=True)
    (tmp_path / "7.jsonl").write_bytes(
        b"".join([*lines[:4], b'{"k": "raised", \xff\n', b"[" * 9000 + b"\n", *lines[4:]])
    )

    journals = read_journals(tmp_path, "/p")
    assert journals.torn == ("7.jsonl",)
    assert len(journals.raised) == 1
    assert journals.processes[0].exiting_at == 21


def test_numbers_that_python_would_not_read_spoil_their_line_only(tmp_path: Path) -> None:
    (tmp_path / "7.jsonl").write_bytes(text([BEGUN]) + b'{"k":"exiting","t":' + b"9" * 6000 + b"}\n")

    journals = read_journals(tmp_path, "/p")
    assert journals.torn == ("7.jsonl",)
    assert journals.processes[0].exiting_at is None


def test_a_line_without_end_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "7.jsonl").write_bytes(
        text([BEGUN]) + b'{"k":"done","t":1,"x":"' + b"x" * (1 << 20) + b'"}\n'
    )

    assert read_journals(tmp_path, "/p").processes[0].work_done_at is None


def test_surrogates_become_something_that_can_be_written(tmp_path: Path) -> None:
    write(tmp_path, 7, line("raised", 20, seen="handled", type="E", message="\ud800 half", id=1))

    (raised,) = read_journals(tmp_path, "/p").raised
    assert raised.message.encode("utf-8") == b"? half"


def test_what_is_no_regular_file_is_no_journal(tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    folder.mkdir()
    secret = tmp_path / "secret"
    secret.write_bytes(text([BEGUN]))
    (folder / "1.jsonl").symlink_to(secret)
    os.mkfifo(folder / "2.jsonl")
    (folder / "3.jsonl").mkdir()
    (folder / "4.jsonl").symlink_to("/dev/zero")
    (folder / "5.stacks").symlink_to(secret)
    (folder / "notes.jsonl").write_text("{}", encoding="utf-8")

    assert read_journals(folder, "/p").processes == ()


def test_a_folder_that_is_missing_has_no_journals(tmp_path: Path) -> None:
    assert read_journals(tmp_path / "absent", "/p") == Journals()


def test_a_journal_that_says_not_whose_it_is_makes_no_process(tmp_path: Path) -> None:
    (tmp_path / "7.jsonl").write_bytes(text([line("exiting", 5)]))

    assert read_journals(tmp_path, "/p").processes == ()


@pytest.mark.parametrize("value", [True, 1.5, "1", None, [], 1 << 64, -(1 << 64)])
def test_only_numbers_of_a_sane_size_are_numbers(value: object) -> None:
    assert fields.number({"x": value}, "x") is None


@pytest.mark.parametrize("value", [True, "1", None, float("inf"), float("nan"), 10**400])
def test_only_finite_numbers_are_real(value: object) -> None:
    assert fields.real({"x": value}, "x") is None


@pytest.mark.parametrize(
    "value", [None, {}, [], ["f", 1, "n", None], ["f", "1", "n", None, True], [1, 1, "n", None, True]]
)
def test_only_whole_frames_are_frames(value: object) -> None:
    assert fields.frame(value) is None


def test_the_probes_own_lines_are_json() -> None:
    assert [json.loads(one) for one in text(EVENTS).splitlines()] == [dict(one) for one in EVENTS]
