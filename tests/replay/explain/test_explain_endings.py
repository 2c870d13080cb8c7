"""`crash-signal`, `oom-kill`, `terminated-slow`, `deadlock`: how a process ended, and who ended it."""

import pytest
from scenario import CLOSED, MAIN, TIMED_OUT, Story, at, library, ns

from app.domain.replay_words import CauseKind
from worker.replay.explain.explain import explain
from worker.replay.facts import Stack
from worker.replay.limits import Usage
from worker.replay.trial import Explained

ABORTED = ("terminate called without an active exception", "Fatal Python error: Aborted")
DUMP = """terminate called without an active exception
Fatal Python error: Aborted

Thread 0x0000000000000007 (most recent call first):
Fatal Python error: Bus error


Extension modules: numpy.random, torch._C (total: 22)
"""
DUMP_AT_WORK = """Fatal Python error: Segmentation fault

Current thread 0x00007f0000000001 (most recent call first):
  File "tests/test_x.py", line 19 in _decode
  File "/usr/lib/python3.11/multiprocessing/process.py", line 108 in run
"""


def told(story: Story, **options: object) -> Explained:
    story.failed(8)
    return explain(story.facts(**options)).cause


# Crash


@pytest.mark.parametrize(("number", "name"), [(6, "SIGABRT"), (7, "SIGBUS"), (11, "SIGSEGV")])
def test_bare_facts_alone_tell_a_crash_at_exit(number: int, name: str) -> None:
    story = Story(bare=True)
    story.process(1, last_words=ABORTED)
    story.exit(0, 3, 0)
    story.exit(1, 3.1, -number)
    words = {6: "Aborted", 7: "Bus error", 11: "Segmentation fault"}[number]
    cause = told(story, stderr_tail=DUMP.replace("error: Aborted", f"error: {words}", 1))
    assert (cause.kind, cause.rank, cause.signal) == (CauseKind.CRASH_SIGNAL, 1, number)
    assert name in cause.sentence
    assert "while exiting, after its work" in cause.sentence
    assert "terminate called without an active exception" in cause.sentence
    assert "which rank is which is guessed from the order in which they started" in cause.sentence
    assert cause.place is None


def test_bare_facts_without_a_dump_do_not_say_when() -> None:
    story = Story(bare=True)
    story.exit(0, 3, 0)
    story.exit(1, 3.1, -6)
    cause = told(story)
    assert (cause.kind, cause.facts["while_exiting"]) == (CauseKind.CRASH_SIGNAL, None)
    assert "was not seen" in cause.sentence


def test_frames_of_a_bare_dump_tell_a_crash_during_work() -> None:
    story = Story(bare=True)
    story.exit(0, 3.2, 1)
    story.exit(1, 3.1, -11)
    cause = told(story, stderr_tail=DUMP_AT_WORK)
    assert "during its work, in tests/test_x.py:19 in _decode" in cause.sentence
    assert cause.place == "tests/test_x.py:_decode"


@pytest.mark.parametrize("how", ["work done", "exiting", "destroyed", "no frames"])
def test_journal_tells_that_the_work_was_done(how: str) -> None:
    story = Story()
    story.together(1, count=3)
    if how == "work done":
        story.process(1, work_done_at=ns(2))
    if how == "exiting":
        story.process(1, exiting_at=ns(2))
    if how == "destroyed":
        story.destroy(1, 2)
    if how == "no frames":
        story.add("stacks", Stack(ns(3), story.pid(1), "Thread", (), reason="fatal", fatal="Aborted"))
    story.exit(1, 3, -6)
    story.exit(0, 3, 0)
    assert told(story).facts["while_exiting"] is True


def test_crash_during_a_ranks_work_has_its_peer_as_a_consequence() -> None:
    story = Story()
    story.together(1)
    story.add(
        "stacks",
        Stack(
            ns(2),
            story.pid(1),
            "Thread",
            (library("string_at", "ctypes.py"), at(17, "_native")),
            reason="fatal",
        ),
    )
    story.call(0, 2, 2.1, error=CLOSED)
    story.exit(1, 2.09, -11)
    story.exit(0, 2.3, 1)
    cause = told(story)
    assert (cause.kind, cause.rank, cause.place) == (CauseKind.CRASH_SIGNAL, 1, "tests/test_x.py:_native")
    assert "during its work, in tests/test_x.py:17 in _native" in cause.sentence
    assert len(cause.consequences) == 1


def test_signal_that_a_process_sent_itself_is_a_crash() -> None:
    story = Story()
    story.sent(1, 1, 2, number=11)
    story.exit(1, 2.1, -11)
    assert told(story).kind is CauseKind.CRASH_SIGNAL


def test_signal_that_another_sent_is_no_crash() -> None:
    story = Story()
    story.sent(0, 1, 2, number=6)
    story.exit(1, 2.1, -6)
    assert told(story).kind is CauseKind.NOT_EXPLAINED


def test_crash_of_the_tests_own_process_has_no_rank() -> None:
    story = Story(0)
    story.exit(None, 2, -11)
    cause = explain(story.facts()).cause
    assert (cause.kind, cause.rank) == (CauseKind.CRASH_SIGNAL, None)
    assert cause.sentence.startswith("the test's own process died of SIGSEGV")


def test_exception_before_a_crash_at_exit_comes_first() -> None:
    story = Story()
    story.raised(1, 2, "ValueError", "a", frames=(at(16, "_plan"),))
    story.exit(1, 2.5, -6)
    assert told(story).kind is CauseKind.RANK_EXCEPTION


# Out of memory


def killed(*, kills: int | None = 1, sender: int | None = None, by: int = 9) -> Explained:
    story = Story()
    story.together(1)
    story.call(0, 2, 2.3, "barrier", error=CLOSED)
    story.exit(1, 2.2, -by)
    story.exit(0, 2.5, 1)
    if sender is not None:
        story.sent(None if sender == MAIN else sender, 1, 2.1, number=by)
    return told(story, usage=Usage(oom_kills=kills, memory_peak_bytes=700 * 1024 * 1024))


def test_counter_exit_and_no_sender_prove_a_kill_for_memory() -> None:
    cause = killed()
    assert (cause.kind, cause.rank, cause.signal) == (CauseKind.OOM_KILL, 1, 9)
    assert "700 MiB" in cause.sentence


@pytest.mark.parametrize(
    ("kills", "sender", "by"), [(0, None, 9), (None, None, 9), (1, MAIN, 9), (1, None, 15), (1, 0, 9)]
)
def test_none_of_the_three_may_be_missing(kills: int | None, sender: int | None, by: int) -> None:
    assert killed(kills=kills, sender=sender, by=by).kind is not CauseKind.OOM_KILL


def test_memory_error_is_an_exception() -> None:
    story = Story()
    story.raised(1, 2, "MemoryError", "", frames=(at(16, "_fill"),))
    story.exit(1, 2.5, 1)
    assert told(story, usage=Usage(oom_kills=0)).kind is CauseKind.RANK_EXCEPTION


# Slow


def ended(sender: int | None = None, **seen: object) -> Explained:
    story = Story()
    story.together(1)
    story.sent(sender, 1, 4, **seen)
    story.exit(1, 4.1, -15)
    story.exit(0, 2, 0)
    return told(story)


@pytest.mark.parametrize("seen", [{"target_state": "R"}, {"target_state": "S", "target_cpu_grew": True}])
def test_running_rank_that_its_parent_ended_was_slow(seen: dict[str, object]) -> None:
    cause = ended(**seen)
    assert (cause.kind, cause.rank, cause.signal) == (CauseKind.TERMINATED_SLOW, 1, 15)
    assert "the test's own process ended it by SIGTERM at tests/test_x.py:50 in _run" in cause.sentence
    assert cause.place == "tests/test_x.py:_run"


def test_another_rank_as_the_sender_is_named() -> None:
    cause = ended(0, target_state="R")
    assert "rank 0 ended it" in cause.sentence


def test_where_it_was_running_is_told() -> None:
    stack = Stack(ns(4), 101, "MainThread", (at(18, "_crunch"), at(30, "_worker")))
    assert "in tests/test_x.py:18 in _crunch" in ended(target_state="R", target_stacks=(stack,)).sentence


def test_rank_that_sleeps_by_its_own_wish_is_slow() -> None:
    stack = Stack(ns(4), 101, "MainThread", (at(18, "_rest", source="time.sleep(30)"),))
    assert (
        ended(target_state="S", target_cpu_grew=False, target_stacks=(stack,)).kind
        is CauseKind.TERMINATED_SLOW
    )


def test_rank_that_stood_still_was_not_slow() -> None:
    assert ended(target_state="S", target_cpu_grew=False).kind is CauseKind.NOT_EXPLAINED


def test_ending_the_rest_after_a_rank_had_failed_is_tearing_down() -> None:
    story = Story()
    story.raised(0, 2, "ValueError", "a", frames=(at(16, "_plan"),))
    story.exit(0, 2.1, 1)
    story.sent(None, 1, 4, target_state="R")
    story.exit(1, 4.1, -15)
    cause = told(story)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 0)


def test_ending_ranks_after_the_test_had_failed_is_tearing_down() -> None:
    story = Story()
    story.failed(3, "assert 1 == 2")
    story.sent(None, 1, 4, target_state="R")
    story.exit(1, 4.1, -15)
    story.exit(0, 4.1, 0)
    assert explain(story.facts()).cause.kind is CauseKind.TEST_ASSERTION


def test_rank_that_waited_for_a_slow_one_is_not_the_slow_one() -> None:
    story = Story()
    story.together(1)
    story.call(0, 2, None, "barrier")
    story.sent(None, 0, 4, target_state="S", target_cpu_grew=False)
    story.exit(0, 4.1, -15)
    story.sent(None, 1, 5, target_state="R", target_cpu_grew=True)
    story.exit(1, 5.1, -15)
    cause = told(story)
    assert (cause.kind, cause.rank) == (CauseKind.TERMINATED_SLOW, 1)


# Deadlock


def test_threads_that_wait_for_each_others_locks() -> None:
    story = Story()
    story.together(1)
    story.lock(1, 2, "reader", "writer", 11)
    story.lock(1, 2, "writer", "reader", 12)
    story.call(0, 2, 5, error=TIMED_OUT)
    story.exit(0, 5.1, 1)
    story.sent(None, 1, 6, target_state="S", target_cpu_grew=False)
    story.exit(1, 6.1, -15)
    cause = told(story)
    assert (cause.kind, cause.rank) == (CauseKind.DEADLOCK, 1)
    assert (
        "thread reader waits at tests/test_x.py:11 in _reader for a lock that thread writer holds"
        in cause.sentence
    )


def test_stacks_of_a_process_that_stood_still_tell_a_deadlock() -> None:
    story = Story()
    stacks = tuple(
        Stack(ns(4), 101, name, (at(line, f"_{name}", source="with lock_b:"),))
        for line, name in ((11, "a"), (12, "b"))
    )
    story.sent(None, 1, 4, target_state="S", target_cpu_grew=False, target_stacks=stacks)
    story.exit(1, 4.1, -15)
    cause = told(story)
    assert (cause.kind, cause.rank) == (CauseKind.DEADLOCK, 1)


def test_one_thread_in_a_lock_is_no_deadlock() -> None:
    story = Story()
    story.lock(1, 2, "reader", "writer", 11)
    story.sent(None, 1, 4, target_state="S", target_cpu_grew=False)
    story.exit(1, 4.1, -15)
    assert told(story).kind is CauseKind.NOT_EXPLAINED


def test_thread_that_went_on_did_get_its_lock() -> None:
    story = Story()
    story.lock(1, 2, "reader", "writer", 11)
    story.lock(1, 2, "writer", "reader", 12)
    story.raised(1, 3, "ValueError", "a", thread="reader", frames=(at(16, "_plan"),))
    story.exit(1, 4, 1)
    assert told(story).kind is CauseKind.RANK_EXCEPTION


def test_ranks_that_receive_from_each_other_in_a_cycle() -> None:
    story = Story(3)
    for rank in range(3):
        story.call(rank, 2, 5, "recv", peer=(rank + 1) % 3, error=TIMED_OUT)
        story.exit(rank, 6, 1)
    cause = told(story)
    assert (cause.kind, cause.rank) == (CauseKind.DEADLOCK, None)
    assert cause.facts["ranks"] == 3


def test_two_subgroups_in_opposite_order() -> None:
    story = Story()
    story.group("a", (0, 1))
    story.group("b", (0, 1))
    story.call(0, 2, 5, group="a", error=TIMED_OUT, line=21)
    story.call(1, 2, 5, group="b", error=TIMED_OUT, line=22)
    cause = told(story)
    assert (cause.kind, cause.rank) == (CauseKind.DEADLOCK, None)


def test_receive_that_was_met_in_time_is_no_cycle() -> None:
    story = Story()
    story.call(0, 2, 2.1, "send", peer=1)
    story.call(1, 2, 2.1, "recv", peer=0)
    story.raised(0, 3, "ValueError", "a", frames=(at(16, "_plan"),))
    story.exit(0, 3.1, 1)
    assert told(story).kind is CauseKind.RANK_EXCEPTION
