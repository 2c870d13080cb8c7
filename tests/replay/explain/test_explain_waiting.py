"""`late-rank`, `early-exit`, `init-failure`: a peer that comes too late, leaves too early, or never meets."""

import pytest
from scenario import CLIENTS, CLOSED, STORE_CLOSED, TIMED_OUT, Story, at, ns

from app.domain.replay_words import CauseKind, FindingKind
from worker.replay.explain.explain import explain
from worker.replay.facts import Pause, Seen, TrialFacts
from worker.replay.limits import Usage
from worker.replay.trial import Explained


def failing(story: Story, *codes: int, t: float = 6.0) -> TrialFacts:
    for rank, code in enumerate(codes):
        story.exit(rank, t + rank / 10, code)
    story.failed(t + 2)
    return story.facts(ended=t + 4)


def cause_of(story: Story, *codes: int) -> Explained:
    return explain(failing(story, *codes)).cause


def late() -> Story:
    story = Story()
    story.together(1, "barrier")
    story.call(1, 2, 4, "barrier", error=TIMED_OUT)
    story.call(0, 4.5, 4.6, "barrier", error=CLOSED)
    return story


def test_rank_that_came_after_the_deadline_is_late() -> None:
    cause = cause_of(late(), 1, 1)
    assert (cause.kind, cause.rank) == (CauseKind.LATE_RANK, 0)
    assert "rank 0 came 500 ms after rank 1 had given up" in cause.sentence
    assert "raised nothing" in cause.sentence
    assert "throttled" not in cause.sentence
    assert cause.facts["late_s"] == 0.5
    assert cause.collective is not None
    assert (cause.collective.op, cause.collective.number) == ("barrier", 2)


def test_throttling_is_added_when_it_was_measured() -> None:
    story = late()
    facts = failing(story, 1, 1)
    measured = explain(
        type(facts)(
            **{name: getattr(facts, name) for name in facts.__slots__ if name != "usage"},
            usage=Usage(periods=77, throttled_periods=75, throttled_ns=ns(5)),
        )
    )
    assert "throttled in 75 of 77 periods" in measured.cause.sentence
    assert [one.kind for one in measured.findings] == [FindingKind.THROTTLED]


def test_pause_of_the_late_rank_is_added_too() -> None:
    story = late()
    story.add("pauses", Pause(story.pid(0), ns(2.5), ns(4.2)))
    assert "rank 0 was paused for 1.5 s meanwhile" in cause_of(story, 1, 1).sentence


def test_rank_that_never_came_and_was_still_on_its_way_is_late() -> None:
    story = Story()
    story.together(1)
    story.call(1, 2, 4, error=TIMED_OUT)
    story.exit(1, 4.1, 1)
    story.sent(None, 0, 5, target_state="R", target_cpu_grew=True)
    story.exit(0, 5.1, -15)
    story.failed(5.5)
    cause = explain(story.facts()).cause
    assert (cause.kind, cause.rank) == (CauseKind.LATE_RANK, 0)


def test_last_of_several_late_ranks_is_the_origin() -> None:
    story = Story(3)
    story.together(1, ranks=(0, 1, 2))
    story.call(0, 2, 4, error=TIMED_OUT)
    story.call(1, 4.2, 4.3, error=CLOSED)
    story.call(2, 4.9, 5.0, error=CLOSED)
    cause = cause_of(story, 1, 1, 1)
    assert (cause.kind, cause.rank) == (CauseKind.LATE_RANK, 2)


def test_store_key_that_was_set_after_the_readers_deadline() -> None:
    story = Story()
    story.store(1, "get", "/plan", 2, 3, "wait timeout after 1000ms, keys: /plan")
    story.store(0, "set", "/plan", 3.5, 3.6)
    cause = cause_of(story, 0, 1)
    assert (cause.kind, cause.rank) == (CauseKind.LATE_RANK, 0)
    assert "store.get('/plan')" in cause.sentence


def test_store_key_that_nobody_set_in_time_is_its_owners() -> None:
    """Who sets it is known from a passing trial."""
    passing = Story(3)
    passing.store(2, "set", "/plan", 2, 2.1)
    passing.passed()
    story = Story(3)
    story.store(1, "get", "/plan", 2, 3, "wait timeout after 1000ms, keys: /plan")
    cause = explain(failing(story, 0, 1, 0), [passing.facts()]).cause
    assert (cause.kind, cause.rank) == (CauseKind.LATE_RANK, 2)


def test_rank_that_called_init_after_the_other_had_given_up_is_late() -> None:
    story = Story(inits=False)
    story.init(0, 1, 4, CLIENTS)
    story.init(1, 6, 8, CLIENTS)
    cause = cause_of(story, 1, 1)
    assert (cause.kind, cause.rank) == (CauseKind.LATE_RANK, 1)
    assert "init_process_group" in cause.sentence


@pytest.mark.parametrize("seen", [Seen.REPORTED, Seen.UNCAUGHT])
def test_rank_that_raised_is_not_late(seen: Seen) -> None:
    story = late()
    story.raised(0, 2.5, "ValueError", "a", seen=seen, frames=(at(16, "_plan"),))
    assert cause_of(story, 1, 1).kind is not CauseKind.LATE_RANK


# Early


def test_rank_that_left_cleanly_while_a_collective_needed_it() -> None:
    story = Story()
    story.together(1, count=3)
    story.exit(1, 2.0, 0)
    story.call(0, 2, 2.01, error=CLOSED)
    cause = cause_of(story, 1)
    assert (cause.kind, cause.rank) == (CauseKind.EARLY_EXIT, 1)
    assert "left cleanly (exit code 0) 10 ms before rank 0" in cause.sentence


def test_group_that_was_destroyed_early_counts_as_leaving() -> None:
    story = Story()
    story.together(1)
    story.destroy(1, 2.0)
    story.call(0, 2, 2.02, error=CLOSED)
    story.exit(1, 5, 0)
    cause = cause_of(story, 1)
    assert (cause.kind, cause.rank) == (CauseKind.EARLY_EXIT, 1)


def test_stores_host_that_exits_first() -> None:
    story = Story(3)
    story.exit(0, 2.0, 0)
    story.store(2, "get", "/metrics", 1.9, 2.02, STORE_CLOSED)
    story.exit(1, 3, 0)
    story.exit(2, 3, 1)
    story.failed(4)
    cause = explain(story.facts()).cause
    assert (cause.kind, cause.rank) == (CauseKind.EARLY_EXIT, 0)
    assert "rank 0, which hosts the store, left cleanly" in cause.sentence


def test_init_is_no_barrier_so_that_a_rank_may_leave_before_its_peer_is_connected() -> None:
    story = Story(inits=False)
    story.init(0, 1, 1.2)
    story.destroy(0, 1.21)
    story.exit(0, 1.25, 0)
    story.init(1, 1, 1.26, "Gloo connectFullMesh failed with [pair.cc:553] Connection closed by peer")
    story.exit(1, 1.4, 1)
    story.failed(2)
    cause = explain(story.facts()).cause
    assert (cause.kind, cause.rank) == (CauseKind.EARLY_EXIT, 0)


def test_exit_code_other_than_zero_is_no_clean_leaving() -> None:
    story = Story()
    story.together(1)
    story.exit(1, 2.0, 3)
    story.call(0, 2, 2.01, error=CLOSED)
    assert cause_of(story, 1).kind is CauseKind.NOT_EXPLAINED


def test_rank_that_left_after_the_other_had_failed_is_not_the_origin() -> None:
    story = late()
    assert cause_of(story, 0, 1).kind is CauseKind.LATE_RANK


# Init


def test_rank_that_never_called_init() -> None:
    story = Story(inits=False)
    story.init(0, 1, 4, CLIENTS)
    story.exit(1, 1.5, 0)
    story.exit(0, 4.2, 1)
    story.failed(5)
    cause = explain(story.facts()).cause
    assert (cause.kind, cause.rank) == (CauseKind.INIT_FAILURE, 1)
    assert "rank 1 never called it" in cause.sentence


def test_rank_that_slept_until_it_was_ended_never_called_init() -> None:
    story = Story(inits=False)
    story.init(0, 1, 4, CLIENTS)
    story.exit(0, 4.2, 1)
    story.sent(None, 1, 5, target_state="S", target_cpu_grew=False)
    story.exit(1, 5.1, -15)
    story.failed(6)
    assert explain(story.facts()).cause.kind is CauseKind.INIT_FAILURE


def test_rank_that_was_working_towards_init_is_late() -> None:
    story = Story(inits=False)
    story.init(0, 1, 4, CLIENTS)
    story.exit(0, 4.2, 1)
    story.sent(None, 1, 5, target_state="R", target_cpu_grew=True)
    story.exit(1, 5.1, -15)
    story.failed(6)
    cause = explain(story.facts()).cause
    assert (cause.kind, cause.rank) == (CauseKind.LATE_RANK, 1)


def test_ranks_with_different_addresses() -> None:
    story = Story(inits=False)
    story.init(0, 1, 4, CLIENTS, address="tcp://127.0.0.1:1")
    story.init(1, 1.1, 4.5, "The client socket has timed out after 3000ms", address="tcp://127.0.0.1:2")
    cause = cause_of(story, 1, 1)
    assert (cause.kind, cause.rank) == (CauseKind.INIT_FAILURE, None)
    assert "tcp://127.0.0.1:1 and tcp://127.0.0.1:2" in cause.sentence


def test_own_exception_of_init_is_an_init_failure() -> None:
    story = Story(inits=False)
    story.init(0, 1, 1.1, "environment variable MASTER_ADDR expected, but not set", type="ValueError")
    story.init(1, 1, 4, CLIENTS)
    cause = cause_of(story, 1, 1)
    assert (cause.kind, cause.rank) == (CauseKind.INIT_FAILURE, 0)


def test_rank_that_raised_before_init_is_a_rank_exception() -> None:
    story = Story(inits=False)
    story.init(0, 1, 4, CLIENTS)
    story.raised(1, 0.9, "KeyError", "'x'", frames=(at(16, "_config"),))
    cause = cause_of(story, 1, 1)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 1)


def test_rank_that_crashed_before_init_is_a_crash() -> None:
    story = Story(inits=False)
    story.init(0, 1, 4, CLIENTS)
    story.exit(1, 0.9, -11)
    cause = cause_of(story, 1)
    assert (cause.kind, cause.rank) == (CauseKind.CRASH_SIGNAL, 1)


def test_world_that_was_told_larger_than_it_is() -> None:
    story = Story(2, world=3, inits=False)
    story.init(0, 1, 4, CLIENTS)
    story.init(1, 1, 4, "The client socket has timed out after 3000ms")
    cause = cause_of(story, 1, 1)
    assert cause.kind is CauseKind.INIT_FAILURE
    assert "only 2 of 3 ranks were there" in cause.sentence


def test_ranks_started_twice_form_two_worlds() -> None:
    """Numbers of the second world begin anew, and what it matched adds to the first."""
    story = Story()
    story.together(1, count=5)
    for rank in (0, 1):
        story.destroy(rank, 2)
        story.init(rank, 2.5, 2.6)
    story.together(3, count=2)
    story.raised(0, 4, "ValueError", "a", seen=Seen.REPORTED, frames=(at(16, "_plan"),))
    story.call(1, 4, 6, error=TIMED_OUT)
    explanation = explain(failing(story, 0, 0, t=7))
    assert explanation.cause.kind is CauseKind.RANK_DIVERGENCE
    assert "after matched WORLD collective number 2" in explanation.cause.sentence
    assert explanation.matched == {"WORLD": 7}


def test_key_that_came_on_a_later_try_was_no_wait_in_vain() -> None:
    story = Story()
    story.store(1, "get", "/plan", 2, 3, "wait timeout after 1000ms, keys: /plan")
    story.store(0, "set", "/plan", 3.5, 3.6)
    story.store(1, "get", "/plan", 3.7, 3.8)
    story.raised(1, 5, "KeyError", "'x'", frames=(at(16, "_plan"),))
    cause = cause_of(story, 0, 1)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 1)


def test_wait_that_fails_in_passing_trials_too_says_nothing() -> None:
    def polling() -> Story:
        story = Story()
        story.call(1, 2, 3, "barrier", group="probe", error=TIMED_OUT, seen=Seen.HANDLED)
        return story

    passing = polling()
    passing.passed()
    story = polling()
    story.raised(1, 5, "KeyError", "'x'", frames=(at(16, "_plan"),))
    cause = explain(failing(story, 0, 1), [passing.facts()]).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 1)


def test_operation_of_the_store_that_the_caller_got_wrong_is_its_own_exception() -> None:
    story = Story()
    story.store(1, "get", "/plan", 2, 2.1, "incompatible function arguments")
    cause = cause_of(story, 0, 1)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 1)


def test_ranks_that_form_two_worlds_are_counted_in_the_one_they_raised_in() -> None:
    story = Story()
    story.together(1, count=5)
    for rank in (0, 1):
        story.destroy(rank, 2)
        story.init(rank, 2.5, 2.6)
    story.together(3, count=2)
    story.raised(0, 4, "ValueError", "a", frames=(at(16, "_plan"),))
    assert "after matched WORLD collective number 2" in cause_of(story, 1, 0).sentence


def test_trial_that_was_ended_once_the_awaited_rank_had_left() -> None:
    story = Story()
    story.together(1)
    story.exit(1, 2.0, 0)
    story.call(0, 2.1, None, "recv", peer=1)
    cause = explain(story.facts(ended=5.0, ended_early_at=4.0)).cause
    assert (cause.kind, cause.rank) == (CauseKind.EARLY_EXIT, 1)
    assert "was ended in waiting for it" in cause.sentence


def test_trial_that_was_ended_once_the_awaited_rank_had_raised_and_left() -> None:
    story = Story()
    story.together(1)
    story.raised(1, 1.9, "KeyError", "'x'", frames=(at(16, "_plan"),))
    story.exit(1, 2.0, 1)
    story.call(0, 2.1, None)
    cause = explain(story.facts(ended=5.0, ended_early_at=4.0)).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 1)


def test_trial_that_was_ended_once_the_awaited_rank_had_crashed() -> None:
    story = Story()
    story.together(1)
    story.exit(1, 2.0, -11)
    story.call(0, 2.1, None)
    cause = explain(story.facts(ended=5.0, ended_early_at=4.0)).cause
    assert (cause.kind, cause.rank) == (CauseKind.CRASH_SIGNAL, 1)


def test_init_in_which_all_were_when_the_test_ended_them_has_not_failed() -> None:
    story = Story(inits=False)
    for rank in (0, 1):
        story.init(rank, 1 + rank, None)
        story.sent(None, rank, 3, target_state="S", target_cpu_grew=False)
        story.exit(rank, 3.1, -15)
    story.failed(4)
    assert explain(story.facts()).cause.kind is CauseKind.NOT_EXPLAINED
