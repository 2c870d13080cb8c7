"""A test that initialises its world again: a journal names that one `WORLD~2`, in each process by its own
count, and what is said must not depend on it.
"""

import pytest

from app.domain.replay_words import CauseKind
from tests.replay.explain.scenario import CLOSED, TIMED_OUT, Story, at, ns
from worker.replay.explain.explain import explain
from worker.replay.explain.incarnations import with_common_names
from worker.replay.facts import Seen, Teardown, TrialFacts, name_and_life

AGAIN = "WORLD~2"


def failing(story: Story, *codes: int, t: float = 6) -> TrialFacts:
    for rank, code in enumerate(codes):
        story.exit(rank, t + rank / 10, code)
    story.failed(t + 1)
    return story.facts()


def in_second_world(*, newcomer: int | None = None) -> Story:
    """Two ranks that destroyed one world and are in the next; `newcomer` was started for it, its first."""
    story = Story()
    story.together(1, count=3)
    for rank in (0, 1):
        story.add("teardowns", Teardown(story.pid(rank), ns(1.5), ns(1.6)))
        group = "WORLD" if rank == newcomer else AGAIN
        story.init(rank, 2, 2.1, group=group, address="tcp://127.0.0.1:29501")
        story.call(rank, 2.2, 2.3, group=group)
    return story


def test_rank_that_raises_is_counted_in_its_second_world() -> None:
    story = in_second_world()
    story.raised(0, 3, "OSError", "[Errno 28]", frames=(at(16, "_plan"),))
    story.call(1, 2.9, 3.1, group=AGAIN, error=CLOSED)
    explanation = explain(failing(story, 1, 1))
    assert explanation.cause.kind is CauseKind.RANK_EXCEPTION
    assert "after matched WORLD collective number 1" in explanation.cause.sentence
    assert explanation.matched == {"WORLD": 4}


def test_rank_that_goes_another_way_in_its_second_world_had_not_left_with_the_first() -> None:
    story = in_second_world()
    story.raised(1, 3, "ValueError", "a", seen=Seen.REPORTED, frames=(at(16, "_plan"),))
    story.call(0, 3, 5, group=AGAIN, error=TIMED_OUT)
    cause = explain(failing(story, 1, 0, t=7)).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_DIVERGENCE, 1)
    assert cause.collective is not None
    assert (cause.collective.group, cause.collective.number) == ("WORLD", 2)


def test_late_rank_of_the_second_world_is_late_and_did_not_leave_early() -> None:
    story = in_second_world()
    story.call(0, 3, 5, group=AGAIN, error=TIMED_OUT)
    story.call(1, 5.5, 5.6, group=AGAIN)
    cause = explain(failing(story, 1, 0, t=7)).cause
    assert (cause.kind, cause.rank) == (CauseKind.LATE_RANK, 1)


@pytest.mark.parametrize("newcomer", [None, 0, 1])
def test_rank_that_was_started_anew_meets_the_others_under_its_own_count(newcomer: int | None) -> None:
    story = in_second_world(newcomer=newcomer)
    story.raised(1, 3, "KeyError", "'x'", frames=(at(16, "_plan"),))
    explanation = explain(failing(story, 0, 1))
    assert (explanation.cause.kind, explanation.cause.rank) == (CauseKind.RANK_EXCEPTION, 1)
    assert explanation.matched["WORLD"] >= 1


def test_only_a_count_at_the_end_is_a_count() -> None:
    assert name_and_life("WORLD") == ("WORLD", 1)
    assert name_and_life("WORLD~12") == ("WORLD", 12)
    assert name_and_life("1:tp~2[0,1]") == ("1:tp~2[0,1]", 1)
    assert name_and_life("1:tp[0,1]~3") == ("1:tp[0,1]", 3)
    assert name_and_life("~2") == ("~2", 1)


def test_facts_without_a_second_world_stay_as_they_are() -> None:
    facts = failing(Story(), 0, 0)
    assert with_common_names(facts) == facts
