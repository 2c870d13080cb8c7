"""`rank-divergence` and its borders with `rank-exception`, `late-rank`, `early-exit` and `deadlock`."""

import pytest
from scenario import CLOSED, TIMED_OUT, Story, at, library, linked, ns

from app.domain.replay_words import CauseKind
from worker.replay.explain.explain import explain
from worker.replay.facts import Ending, Process, Seen, Source, TrialFacts

ESTIMATE = (at(30, "_worker"), at(16, "_estimate"))


def planner(*, matched: int = 14, timeout_s: float = 15.0) -> Story:
    """Incident 2's shape: rank 0 raises and lives on, rank 1 enters the next reduction alone."""
    story = Story()
    story.together(1, "barrier")
    story.together(1.1, count=matched - 1, reduce_op="MIN")
    story.raised(
        0,
        2,
        "ValueError",
        "no packing fits budget 7",
        seen=Seen.HANDLED,
        frames=ESTIMATE,
        cause=linked("OverflowError", "too long"),
        context=linked("OverflowError", "too long"),
    )
    story.call(1, 2, 2 + timeout_s, reduce_op="MIN", error=TIMED_OUT)
    return story


def ended(story: Story, *ranks: int, t: float = 18.0, code: int = 0) -> Story:
    for rank in ranks:
        story.exit(rank, t, code)
    story.failed(t + 1)
    return story


def test_rank_that_raised_and_lives_is_the_origin() -> None:
    explanation = explain(ended(planner(), 0, 1).facts(ended=20.0))
    cause = explanation.cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_DIVERGENCE, 0)
    assert "raised ValueError: no packing fits budget 7" in cause.sentence
    assert "after matched WORLD collective number 14" in cause.sentence
    assert (
        "rank 1 entered WORLD collective 15 all_reduce(MIN) at tests/test_x.py:20 in _step alone"
        in cause.sentence
    )
    assert "was still alive" in cause.sentence
    assert cause.exception is not None
    assert cause.exception.cause is not None
    assert (cause.exception.type, cause.exception.cause.type) == ("ValueError", "OverflowError")
    assert cause.exception.context is not None
    assert cause.collective is not None
    assert (
        cause.collective.number,
        cause.collective.op,
        cause.collective.reduce_op,
        cause.collective.rank,
    ) == (
        15,
        "all_reduce",
        "MIN",
        1,
    )
    assert explanation.matched == {"WORLD": 14}
    assert explanation.entered == {"WORLD": {0: 14, 1: 15}}
    assert len(cause.consequences) == 1
    assert cause.place == "tests/test_x.py:_estimate"


def test_window_is_between_the_last_shared_call_and_the_lonely_one() -> None:
    story = planner()
    story.stack(1, 3, library(), at(20, "_step"), at(33, "_worker"))
    window = explain(ended(story, 0, 1).facts(ended=20.0)).cause.window
    assert window is not None
    assert window.after == "WORLD collective 14 all_reduce(MIN) at tests/test_x.py:20 in _step"
    assert window.before is not None
    assert window.before.startswith("WORLD collective 15 all_reduce(MIN) at tests/test_x.py:20 in _step")
    assert window.before.endswith("called from tests/test_x.py:33 in _worker")
    assert [frame.function for frame in window.frames_by_rank[0]] == ["_worker", "_estimate"]
    assert [frame.function for frame in window.frames_by_rank[1]] == ["_worker", "_step"]


def test_first_collective_has_the_init_before_its_window() -> None:
    story = Story()
    story.raised(0, 2, "ValueError", "no", frames=ESTIMATE, seen=Seen.REPORTED)
    story.call(1, 2, 5, error=TIMED_OUT)
    window = explain(ended(story, 0, 1).facts(ended=20.0)).cause.window
    assert window is not None
    assert window.after == "init_process_group at tests/test_x.py:12 in _init"


def test_rank_that_raised_before_any_collective_is_said_to_have() -> None:
    story = Story()
    story.raised(0, 2, "ValueError", "no", frames=ESTIMATE, seen=Seen.REPORTED)
    story.call(1, 2, 5, error=TIMED_OUT)
    assert "before any WORLD collective" in explain(ended(story, 0, 1).facts(ended=20.0)).cause.sentence


def test_trial_that_was_ended_early_is_explained_from_provisional_facts() -> None:
    story = Story()
    story.together(1, count=14)
    story.raised(0, 2, "ValueError", "no packing fits", seen=Seen.HANDLED, frames=ESTIMATE)
    story.call(1, 2, None, reduce_op="MIN")
    cause = explain(story.facts(ended=4.0, ended_early_at=3.5)).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_DIVERGENCE, 0)
    assert cause.facts["provisional"] is True
    assert "still alive when the trial was ended" in cause.sentence


def test_kill_at_the_trials_end_is_not_the_origins_exit() -> None:
    story = planner()
    story.said["collectives"].pop()
    story.call(1, 2, None, number=15)
    for rank in (0, 1):
        story.exit(rank, 3.5, -9, by_us=True)
    cause = explain(story.facts(ended=4.0, ended_early_at=3.4)).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_DIVERGENCE, 0)


def test_three_ranks_wait_for_the_one_that_raised() -> None:
    story = Story(3)
    story.together(1, ranks=(0, 1, 2), count=2)
    story.raised(1, 2, "KeyError", "'x'", seen=Seen.REPORTED, frames=ESTIMATE)
    for rank in (0, 2):
        story.call(rank, 2, 5, error=TIMED_OUT)
    cause = explain(ended(story, 0, 1, 2).facts(ended=20.0)).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_DIVERGENCE, 1)
    assert len(cause.consequences) == 2
    assert "alone" not in cause.consequences[0]


def test_subgroups_are_counted_apart() -> None:
    story = Story(4)
    story.group("pair", (2, 3))
    story.together(1, ranks=(0, 1, 2, 3), count=3)
    story.together(1.5, ranks=(2, 3), group="pair", count=2)
    story.raised(3, 2, "ValueError", "no", seen=Seen.REPORTED, frames=ESTIMATE)
    story.call(2, 2, 5, group="pair", error=TIMED_OUT)
    explanation = explain(ended(story, 0, 1, 2, 3).facts(ended=20.0))
    assert (explanation.cause.kind, explanation.cause.rank) == (CauseKind.RANK_DIVERGENCE, 3)
    assert "after matched pair collective number 2" in explanation.cause.sentence
    assert explanation.matched == {"WORLD": 3, "pair": 2}


def test_chain_of_waits_leads_to_the_rank_that_waits_for_nobody() -> None:
    """Rank 2 waits for rank 1, which waits for rank 0, which raised."""
    story = Story(3)
    story.group("late pair", (1, 2))
    story.together(1, ranks=(0, 1, 2))
    story.raised(0, 2, "ValueError", "no", seen=Seen.REPORTED, frames=ESTIMATE)
    story.call(2, 2, 5, group="late pair", error=TIMED_OUT)
    story.call(1, 2.1, 5.1, error=TIMED_OUT)
    cause = explain(ended(story, 0, 1, 2).facts(ended=20.0)).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_DIVERGENCE, 0)
    assert "after matched WORLD collective number 1; rank 1 entered WORLD collective 2" in cause.sentence
    assert len(cause.consequences) == 2


def test_exception_into_another_collective_is_a_divergence_not_a_deadlock() -> None:
    story = Story()
    story.group("tail", (0, 1))
    story.together(1)
    story.raised(0, 2, "ValueError", "no", seen=Seen.REPORTED, frames=ESTIMATE)
    story.call(0, 2.1, None, "barrier", group="tail", line=44)
    story.call(1, 2.2, None)
    cause = explain(story.facts(ended=5.0, ended_early_at=4.0)).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_DIVERGENCE, 0)
    assert "barrier" in cause.sentence


def test_asynchronous_collective_counts_from_its_wait() -> None:
    story = Story()
    story.together(1)
    story.raised(0, 2, "ValueError", "no", seen=Seen.HANDLED, frames=ESTIMATE)
    story.call(1, 2, 6, is_async=True, waiting_since=ns(3), error=TIMED_OUT)
    cause = explain(ended(story, 0, 1).facts(ended=20.0)).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_DIVERGENCE, 0)
    assert cause.facts["waited_s"] == 3.0


def test_asynchronous_collective_that_nobody_waits_for_is_no_wait() -> None:
    story = Story()
    story.together(1)
    story.call(1, 2, None, is_async=True)
    story.exit(0, 5, 0)
    story.exit(1, 5, 0)
    story.failed(6, "assert 1 == 2")
    assert explain(story.facts()).cause.kind is CauseKind.TEST_ASSERTION


def test_receive_from_a_rank_that_raised_is_a_divergence() -> None:
    story = Story()
    story.together(1)
    story.raised(0, 2, "ValueError", "no", seen=Seen.REPORTED, frames=ESTIMATE)
    story.call(1, 2, 5, "recv", peer=0, error=TIMED_OUT)
    cause = explain(ended(story, 0, 1).facts(ended=20.0)).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_DIVERGENCE, 0)
    assert "recv 1 from rank 0" in cause.sentence


def test_rank_that_ended_its_work_well_without_the_collective_went_another_way() -> None:
    story = Story()
    story.together(1)
    story.call(1, 2, 4, error=TIMED_OUT)
    story.process(0, work_done_at=ns(6))
    story.exit(1, 4.1, 1)
    story.exit(0, 6.1, 0)
    story.failed(7)
    cause = explain(story.facts()).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_DIVERGENCE, 0)
    assert cause.exception is None
    assert "ended its work without that collective" in cause.sentence


def test_divergence_that_only_the_recorder_sees_is_told_by_its_count() -> None:
    story = Story()
    story.together(1, source=Source.FLIGHT_RECORDER, count=5, op="all_gather")
    story.raised(0, 2, "LookupError", "no layer", seen=Seen.REPORTED, frames=ESTIMATE)
    story.call(1, 2, None, "all_gather", source=Source.FLIGHT_RECORDER)
    explanation = explain(story.facts(ended=5.0, ended_early_at=4.0))
    assert (explanation.cause.kind, explanation.cause.rank) == (CauseKind.RANK_DIVERGENCE, 0)
    assert "WORLD collective 6 of the flight recorder's count" in explanation.cause.sentence
    assert explanation.matched == {"WORLD (flight recorder)": 5}


# Borders


@pytest.mark.parametrize("how", ["exit", "exiting", "destroyed", "uncaught"])
def test_origin_that_had_left_is_a_rank_exception(how: str) -> None:
    story = Story()
    story.together(1)
    story.raised(0, 2, "ValueError", "no", seen=Seen.UNCAUGHT, frames=ESTIMATE)
    story.call(1, 2, 2.2, error=CLOSED)
    if how == "destroyed":
        story.destroy(0, 2.1)
    if how == "exiting":
        story.process(0, exiting_at=ns(2.1))
    if how == "uncaught":
        story.process(0, ending=Ending.UNCAUGHT)
    story.exit(0, 2.21 if how == "exit" else 4, 1)
    story.exit(1, 2.4, 1)
    story.failed(5)
    cause = explain(story.facts()).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 0)
    entered = "rank 1 entered WORLD collective 2 all_reduce(SUM) at tests/test_x.py:20 in _step alone"
    assert cause.consequences == (f"{entered} and lost its connection after 200 ms, exit code 1",)


def test_rank_that_comes_after_all_has_not_diverged() -> None:
    story = Story()
    story.together(1)
    story.raised(0, 2, "ValueError", "no", seen=Seen.HANDLED, frames=ESTIMATE)
    story.call(1, 2, 4, error=TIMED_OUT)
    story.call(0, 5, 5.1, error=CLOSED)
    cause = explain(ended(story, 0, 1, code=1, t=6).facts()).cause
    assert (cause.kind, cause.rank) == (CauseKind.LATE_RANK, 0)


def test_origin_that_was_not_observed_is_not_accused() -> None:
    story = planner()
    story.process(0, observed=False)
    story.said["collectives"] = [one for one in story.said["collectives"] if one.pid != story.pid(0)]
    story.said["raised"] = [one for one in story.said["raised"] if one.pid != story.pid(0)]
    cause = explain(ended(story, 0, 1).facts(ended=20.0)).cause
    assert cause.kind is CauseKind.NOT_EXPLAINED


def test_torn_record_of_calls_accuses_nobody() -> None:
    story = planner()
    story.said["raised"] = [one for one in story.said["raised"] if one.pid != story.pid(0)]
    facts = ended(story, 0, 1).facts(ended=20.0, torn=(f"{story.pid(0)}.calls",))
    assert explain(facts).cause.kind is CauseKind.NOT_EXPLAINED


def test_what_passing_trials_raise_too_is_not_the_origins_exception() -> None:
    story = Story()
    story.together(1)
    story.raised(0, 1.5, "LookupError", "miss 17", seen=Seen.HANDLED, frames=ESTIMATE)
    story.call(1, 2, 4, error=TIMED_OUT)
    story.call(0, 5, 5.1, error=CLOSED)
    facts = ended(story, 0, 1, code=1, t=6).facts()
    cause = explain(facts, [passing_with("LookupError", "miss 4")]).cause
    assert cause.kind is CauseKind.LATE_RANK
    assert cause.exception is None


def passing_with(type_: str, message: str) -> TrialFacts:
    story = Story()
    story.raised(0, 1.5, type_, message, seen=Seen.HANDLED, frames=ESTIMATE)
    story.together(1, count=2)
    story.exit(0, 5, 0)
    story.exit(1, 5, 0)
    story.passed()
    return story.facts()


def test_process_of_no_rank_does_not_disturb() -> None:
    story = planner()
    story.add("processes", Process(77, 10, ("sleep", "5"), ns(1), is_python=False))
    cause = explain(ended(story, 0, 1).facts(ended=20.0)).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_DIVERGENCE, 0)


@pytest.mark.parametrize("limit", [None, 2.0])
def test_failure_that_only_the_recorder_can_have_seen_ends_with_the_groups_own_timeout(
    limit: float | None,
) -> None:
    """Met late, at the worker's end: the rank that came in between had come too late."""
    story = Story(inits=False)
    for rank in (0, 1):
        story.init(rank, 0.5, 0.6, timeout_s=limit)
    story.together(1, source=Source.FLIGHT_RECORDER, count=2, op="broadcast")
    story.call(0, 2, 9.5, "broadcast", source=Source.FLIGHT_RECORDER)
    story.call(1, 4.5, 9.6, "broadcast", source=Source.FLIGHT_RECORDER)
    story.raised(0, 5 if limit else 4.2, "RuntimeError", TIMED_OUT)
    story.raised(1, 5.1, "RuntimeError", CLOSED)
    cause = explain(ended(story, 0, 1, code=1, t=5.5).facts()).cause
    assert (cause.kind, cause.rank) == (CauseKind.LATE_RANK, 1)


def test_time_out_of_a_store_is_not_laid_to_the_recorders_last_entry() -> None:
    story = Story()
    story.together(1, source=Source.FLIGHT_RECORDER, count=2, op="broadcast")
    story.store(1, "get", "/plan", 2, 3, "wait timeout after 1000ms, keys: /plan")
    story.store(0, "set", "/plan", 3.5, 3.6)
    cause = explain(ended(story, 0, 1, t=5).facts()).cause
    assert "store.get" in cause.sentence
