"""Flight Recorder dumps as facts: torch's own numbers, other clocks, several dumps, and anything at all."""

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from worker.replay.facts import Collective, Source
from worker.replay.reading import flight
from worker.replay.reading.record import Record

AHEAD = 10**18  # the wall clock before the monotonic one
RECORD = Record(12, [{"k": "process", "t": 1000, "th": "MainThread"}])
SITE = ["test_it.py", 7, "work", "x.full_tensor()", True]


def entry(number: int, **changed: Any) -> dict[str, Any]:
    return {
        "record_id": number,
        "process_group": ["0", "default_pg"],
        "collective_seq_id": number + 1,
        "p2p_seq_id": 0,
        "is_p2p": False,
        "profiling_name": "gloo:all_gather",
        "time_created_ns": AHEAD + 2000 + number,
        "time_discovered_completed_ns": None,
        "input_sizes": [[2, 4]],
        "input_dtypes": ["Float"],
        "retired": True,
        "thread_id": "77",
        **changed,
    }


def dump(*entries: dict[str, Any], t: int = 5000, why: str = "asked", **changed: Any) -> bytes:
    told = {
        "t": t,
        "wall": t + AHEAD,
        "life": 1,
        "why": why,
        "groups": {"0": "WORLD"},
        "sites": {},
        **changed,
    }
    return json.dumps({**told, "trace": {"entries": entries}}).encode() + b"\n"


def read(content: bytes) -> tuple[tuple[Collective, ...], bool]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "12.flight")
        path.write_bytes(content)
        return flight.read(path, RECORD)


def test_an_entry_is_a_collective_by_the_clock_of_the_journals() -> None:
    (found,), torn = read(dump(entry(0)))

    assert not torn
    assert (found.source, found.pid, found.group, found.number) == (Source.FLIGHT_RECORDER, 12, "WORLD", 1)
    assert (found.op, found.shapes, found.dtypes) == ("all_gather", ((2, 4),), ("float32",))
    assert (found.t_in, found.t_out, found.peer) == (2000, 5000, None)


def test_what_is_not_retired_while_the_process_is_stuck_has_the_site_of_its_thread() -> None:
    (found,), _ = read(dump(entry(0, retired=False), sites={"77": SITE}))

    assert found.t_out is None
    assert found.site is not None
    assert found.site.line == 7


def test_of_a_thread_without_python_frames_the_main_one_tells_the_site() -> None:
    (found,), _ = read(dump(entry(0, retired=False, thread_id="1"), sites={"main": SITE}))

    assert found.site is not None


def test_a_process_that_left_was_in_no_collective() -> None:
    (found,), _ = read(dump(entry(0, retired=False), why="destroyed"))

    assert found.t_out == 5000


def test_a_later_dump_ends_what_an_earlier_one_knew_and_renames_nothing() -> None:
    first = dump(entry(0, retired=False), t=4000)
    second = dump(entry(0), entry(1), t=6000, groups={"0": "WORLD~2"})

    found, _ = read(first + second)

    assert [(one.group, one.number, one.t_out) for one in found] == [("WORLD", 1, 6000), ("WORLD~2", 2, 6000)]


def test_a_forked_process_does_not_claim_its_parents_collectives() -> None:
    found, _ = read(dump(entry(0, time_created_ns=AHEAD + 500), entry(1)))

    assert [one.number for one in found] == [2]


def test_point_to_point_entries_have_a_peer_and_numbers_of_their_own() -> None:
    found, _ = read(dump(entry(0, is_p2p=True, p2p_seq_id=4, profiling_name="nccl:send 0->3")))

    assert [(one.op, one.number, one.peer) for one in found] == [("send", 4, 3)]


def test_a_dump_cut_in_its_line_is_torn_and_those_before_it_count() -> None:
    found, torn = read(dump(entry(0)) + dump(entry(1))[:100])

    assert torn
    assert [one.number for one in found] == [1]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(entry(0))), VALUES), VALUES, VALUES)
def test_fields_of_any_type_are_read_without_error(
    changed: dict[str, Any], groups: object, sites: object
) -> None:
    found, _ = read(dump({**entry(0), **changed}, groups=groups, sites=sites))

    assert len(found) <= 1


@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_error(noise: bytes) -> None:
    found, _ = read(dump(entry(0)) + noise)

    assert [one.number for one in found] == [1]
