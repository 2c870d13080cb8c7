"""Shapes in which the nearest cause would be a wrong one: better none, or the words that are true."""

from app.domain.replay_words import CauseKind
from tests.replay.explain.scenario import Story, at
from worker.replay.explain.explain import explain
from worker.replay.facts import Seen
from worker.replay.trial import Explained


def cause_of(story: Story, *codes: int) -> Explained:
    for rank, code in enumerate(codes):
        story.exit(rank, 6 + rank / 10, code)
    story.failed(7)
    return explain(story.facts()).cause


def reader_of_a_key() -> Story:
    story = Story()
    story.store(0, "wait", "/never", 2, 5, "wait timeout after 3000ms, keys: /never")
    return story


def test_rank_that_ended_well_without_ever_setting_a_key_was_not_late_with_it() -> None:
    assert cause_of(reader_of_a_key(), 1, 0).kind is CauseKind.NOT_EXPLAINED


def test_rank_that_was_ended_before_it_set_a_key_may_have_been_late_with_it() -> None:
    cause = cause_of(reader_of_a_key(), 1, -15)
    assert (cause.kind, cause.rank) == (CauseKind.LATE_RANK, 1)


def side_thread_fails(seen: Seen = Seen.UNCAUGHT, thread: str = "Thread-1") -> Story:
    story = Story()
    for rank in (0, 1):
        story.raised(rank, 2, "KeyError", "'x'", seen=seen, thread=thread, frames=(at(16, "_report"),))
    story.together(3)
    return story


def test_thread_that_dies_on_every_rank_does_not_explain_the_exit_of_one() -> None:
    assert cause_of(side_thread_fails(), 0, 3).kind is CauseKind.NOT_EXPLAINED


def test_thread_that_dies_on_every_rank_explains_that_all_failed() -> None:
    assert cause_of(side_thread_fails(), 3, 3).kind is CauseKind.RANK_EXCEPTION
    assert cause_of(side_thread_fails(thread="MainThread"), 1, 1).kind is CauseKind.RANK_EXCEPTION
    assert cause_of(side_thread_fails(Seen.REPORTED), 0, 1).kind is CauseKind.RANK_EXCEPTION


def test_thread_that_takes_its_own_lock_again_waits_for_itself() -> None:
    story = Story()
    story.lock(1, 2, "MainThread", "MainThread", 270)
    cause = cause_of(story, 0, -15)
    assert (cause.kind, cause.rank) == (CauseKind.DEADLOCK, 1)
    assert "a thread of rank 1 waits for a lock that it holds itself" in cause.sentence
    assert "each other" not in cause.sentence
