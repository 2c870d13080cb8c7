"""Each kind of event becomes its fact, with the sites and the ends that other lines tell."""

from pathlib import Path

from written import frame, line, write

from worker.replay.facts import (
    Ending,
    Exit,
    Frame,
    Group,
    Init,
    LockWait,
    Phase,
    Seen,
    Teardown,
)
from worker.replay.reading.journals import read_journals

SITE = Frame("test_x.py", 3, "worker", "worker()", in_project=True)


def test_a_process_gathers_what_its_lines_say(tmp_path: Path) -> None:
    write(
        tmp_path,
        7,
        line("process", 11, name="Process-2", rank=1, world=4, rank_source="argument"),
        line("process", 12, torch="2.13.0"),
        line("process", 13, rank=2, world=4, rank_source="thread"),
        line("done", 90, ending="returned", code=None),
        line("exiting", 99, code=0),
    )

    (process,) = read_journals(tmp_path, "/p").processes
    assert (process.pid, process.parent, process.argv) == (7, 1, ("python", "-m", "pytest"))
    assert (process.name, process.torch, process.python) == ("Process-2", "2.13.0", "3.11.7")
    assert (process.rank, process.world, process.rank_source) == (2, 4, "thread")
    assert (process.started, process.work_done_at, process.exiting_at) == (10, 90, 99)
    assert (process.ending, process.exit_code_said, process.observed) == (Ending.RETURNED, 0, True)


def test_the_rank_of_an_init_is_surer_than_any_other(tmp_path: Path) -> None:
    write(
        tmp_path,
        7,
        line("process", 11, rank=1, world=4, rank_source="env"),
        line("init", 20, call=1, group="WORLD", rank=3, world=4),
    )

    (process,) = read_journals(tmp_path, "/p").processes
    assert (process.rank, process.rank_source) == (3, "init")


def test_work_is_done_when_the_world_was_destroyed_if_nothing_else_tells(tmp_path: Path) -> None:
    write(
        tmp_path,
        7,
        line("teardown", 20, call=1, group="2:mesh[0,1]"),
        line("out", 21, call=1, error=None),
        line("teardown", 30, call=2, group="WORLD"),
        line("out", 31, call=2, error=None),
    )

    (process,) = read_journals(tmp_path, "/p").processes
    assert process.work_done_at == 31
    assert (process.ending, process.exiting_at) == (None, None)


def test_an_init_ends_with_its_own_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        7,
        line("site", 15, id=4, frame=frame("worker")),
        line(
            "init",
            20,
            call=1,
            group="WORLD",
            backend="gloo",
            rank=0,
            world=2,
            timeout_s=3.0,
            site=4,
            in_try=False,
        ),
        line("init", 40, call=2, group="1:sub[0,1]", backend=None),
        line("out", 50, call=2, error=None),
        line("out", 60, call=1, error=77),
    )

    journals = read_journals(tmp_path, "/p")
    assert journals.inits == (
        Init(7, 20, 60, "WORLD", "gloo", None, 0, 2, 3.0, 77, SITE, in_try=False),
        Init(7, 40, 50, "1:sub[0,1]"),
    )


def test_a_call_without_an_end_is_still_under_way(tmp_path: Path) -> None:
    write(tmp_path, 7, line("init", 20, call=1, group="WORLD"), line("teardown", 30, call=2, group=None))

    journals = read_journals(tmp_path, "/p")
    assert [one.t_out for one in journals.inits] == [None]
    assert journals.teardowns == (Teardown(7, 30, None, "WORLD"),)


def test_groups_end_with_the_next_teardown_of_theirs_or_of_the_world(tmp_path: Path) -> None:
    write(
        tmp_path,
        7,
        line("group", 20, group="WORLD", ranks=[0, 1], timeout_s=3.0),
        line("group", 21, group="1:a[0]", ranks=[0], timeout_s=None),
        line("group", 22, group="2:b[0]", ranks=[0]),
        line("teardown", 30, call=1, group="1:a[0]"),
        line("out", 31, call=1, error=None),
        line("teardown", 40, call=2, group="WORLD"),
        line("out", 41, call=2, error=None),
        line("group", 50, group="WORLD~2", ranks=[0, 1]),
    )

    assert read_journals(tmp_path, "/p").groups == (
        Group(7, "WORLD", (0, 1), 20, 3.0, 41),
        Group(7, "1:a[0]", (0,), 21, None, 31),
        Group(7, "2:b[0]", (0,), 22, None, 41),
        Group(7, "WORLD~2", (0, 1), 50, None, None),
    )


def test_an_exception_keeps_its_chain_frames_and_counters(tmp_path: Path) -> None:
    behind = {"type": "KeyError", "message": "'x'", "frames": [frame("inner")]}
    write(
        tmp_path,
        7,
        line(
            "raised",
            20,
            seen="uncaught",
            type="ValueError",
            message="bad",
            id=5,
            frames=[frame("worker"), frame("inner")],
            cause=behind,
            context={**behind, "context": behind},
            counters={"WORLD": 14},
            errno=98,
        ),
    )

    (raised,) = read_journals(tmp_path, "/p").raised
    assert (raised.seen, raised.identity, raised.errno) == (Seen.UNCAUGHT, 5, 98)
    assert raised.counters == {"WORLD": 14}
    assert [one.function for one in raised.frames] == ["worker", "inner"]
    assert raised.cause is not None
    assert raised.cause.frames[0].source == "inner()"
    assert raised.context is not None
    assert raised.context.context == raised.cause


def test_an_item_taken_says_what_was_put(tmp_path: Path) -> None:
    write(
        tmp_path,
        7,
        line("process", 11, rank=1, rank_source="init"),
        line(
            "put",
            20,
            n=1,
            channel="pipe:5",
            text="ValueError: bad",
            trace=True,
            rank=None,
            site=frame("worker"),
        ),
        line("sent", 21, n=1, channel="pipe:5", digest="9-aa", trace=True),
        line("put", 22, n=2, channel="pipe:5", text="'lost'", trace=False, rank=None),
        line("sent", 23, n=0, channel="pipe:5", digest="4-bb", trace=False),
        line("pipe", 24, channel="pipe:5", other="pipe:6"),
    )
    write(tmp_path, 8, line("got", 30, channel="pipe:6", digest="9-aa", trace=True, site=frame("test")))

    put, lost, raw, got = read_journals(tmp_path, "/p").items
    assert (put.text, put.rank, put.holds_traceback, put.digest) == ("ValueError: bad", 1, True, "9-aa")
    assert (got.text, got.rank, got.channel, got.pid, got.is_put) == (
        "ValueError: bad",
        1,
        "pipe:5",
        8,
        False,
    )
    assert (lost.digest, raw.digest) == (None, "4-bb")
    assert put.site == SITE


def test_phases_locks_children_and_faults_are_told(tmp_path: Path) -> None:
    write(
        tmp_path,
        7,
        line("phase", 20, test="t.py::t", when="start", outcome=""),
        line("phase", 21, test="t.py::t", when="call", outcome="failed", crash="E", file="t.py", line=4),
        line("lock", 22, lock=99, holder="other", site=frame("worker")),
        line("child", 23, target=8, code=-11),
        line("probe-error", 24, where="queues", text="KeyError"),
    )

    journals = read_journals(tmp_path, "/p")
    assert journals.phases == (Phase(21, 7, "t.py::t", "call", "failed", "E", "t.py", 4),)
    assert journals.lock_waits == (LockWait(22, 7, "MainThread", 99, "other", SITE),)
    assert journals.exits == (Exit(8, 23, -11, "parent"),)
    assert journals.troubles == ("7: queues: KeyError",)


def test_store_operations_in_lines_are_read(tmp_path: Path) -> None:
    write(tmp_path, 7, line("store", 20, call=1, op="get", key="k"), line("out", 25, call=1, error=3))

    (call,) = read_journals(tmp_path, "/p").store_calls
    assert (call.op, call.key, call.t_in, call.t_out, call.error) == ("get", "k", 20, 25, 3)


def test_facts_of_all_processes_stand_in_order_of_time(tmp_path: Path) -> None:
    for pid, t in ((9, 20), (7, 30), (8, 10)):
        write(tmp_path, pid, line("raised", t, seen="handled", type="E", message="", id=1))

    assert [one.pid for one in read_journals(tmp_path, "/p").raised] == [8, 9, 7]
