"""`collective-mismatch` and its borders with a crash, lateness, a deadlock and what passing trials do too."""

from typing import Any

import pytest
from scenario import CLOSED, TIMED_OUT, Story, at

from app.domain.replay_words import CauseKind
from worker.replay.explain.explain import explain
from worker.replay.facts import Seen, Source
from worker.replay.trial import Explained

ENFORCE = "op.preamble.length <= op.nbytes. Is there a distributed collective mismatch in your code?"


def failing(story: Story, *ranks: int, code: int = 1) -> Explained:
    for rank in ranks:
        story.exit(rank, 6, code)
    story.failed(7)
    return explain(story.facts()).cause


def test_other_operation_names_both_call_sites_and_no_culprit() -> None:
    story = Story()
    story.together(1)
    story.call(0, 2, 5, "all_reduce", error=TIMED_OUT, line=21)
    story.call(1, 2, 5, "broadcast", error=TIMED_OUT, line=25, root=0)
    cause = failing(story, 0, 1)
    assert (cause.kind, cause.rank) == (CauseKind.COLLECTIVE_MISMATCH, None)
    assert "in WORLD collective 2 the ranks differ in their op" in cause.sentence
    assert "rank 0 entered all_reduce(SUM) at tests/test_x.py:21" in cause.sentence
    assert "rank 1 entered broadcast at tests/test_x.py:25" in cause.sentence
    assert cause.facts["matched"] == 1


@pytest.mark.parametrize(
    ("what", "one", "other"),
    [
        ("shape", {"shapes": ((4,),)}, {"shapes": ((1000,),)}),
        ("dtype", {"dtypes": ("float32",)}, {"dtypes": ("int32",)}),
        ("root", {"op": "broadcast", "root": 0}, {"op": "broadcast", "root": 1}),
        ("reduce op", {"reduce_op": "SUM"}, {"reduce_op": "MAX"}),
    ],
)
def test_calls_of_one_number_differ_in(what: str, one: dict[str, Any], other: dict[str, Any]) -> None:
    story = Story()
    story.together(1)
    story.call(0, 2, 2.1, **one)
    story.call(1, 2, 2.1, **other)
    cause = failing(story, 0, 1)
    assert cause.kind is CauseKind.COLLECTIVE_MISMATCH
    assert cause.facts["differs_in"] == what


def test_shape_mismatch_that_aborts_a_rank_is_no_crash() -> None:
    story = Story()
    story.together(1)
    story.call(0, 2, None, shapes=((4,),))
    story.call(1, 2, 2.2, shapes=((1000,),), error=CLOSED)
    story.exit(0, 2.1, -6)
    assert failing(story, 1).kind is CauseKind.COLLECTIVE_MISMATCH


def test_gloos_own_last_words_name_a_mismatch_without_any_probe() -> None:
    story = Story(bare=True)
    story.process(
        0, last_words=("terminate called after throwing an instance of 'gloo::EnforceNotMet'", ENFORCE)
    )
    story.exit(0, 2, -6)
    cause = failing(story, 1, code=0)
    assert cause.kind is CauseKind.COLLECTIVE_MISMATCH
    assert cause.signal == 6


def test_one_of_four_that_stands_alone_is_named() -> None:
    story = Story(4)
    story.together(1, ranks=(0, 1, 2, 3))
    for rank in range(4):
        story.call(rank, 2, 5, "barrier" if rank == 2 else "all_reduce", error=TIMED_OUT)
    cause = failing(story, 0, 1, 2, 3)
    assert (cause.kind, cause.rank) == (CauseKind.COLLECTIVE_MISMATCH, 2)
    assert "ranks 0, 1 and 3 entered all_reduce" in cause.sentence


def test_same_call_on_the_world_and_on_a_subgroup_is_a_mismatch_of_the_group() -> None:
    story = Story()
    story.group("pair", (0, 1))
    story.together(1)
    story.call(0, 2, 5, error=TIMED_OUT)
    story.call(1, 2, 5, group="pair", error=TIMED_OUT)
    cause = failing(story, 0, 1)
    assert cause.kind is CauseKind.COLLECTIVE_MISMATCH
    assert cause.facts["differs_in"] == "group"


def test_what_led_a_rank_there_is_told() -> None:
    story = Story()
    story.together(1)
    story.raised(0, 1.5, "ValueError", "no", seen=Seen.REPORTED, frames=(at(16, "_plan"),))
    story.call(0, 2, 5, "barrier", error=TIMED_OUT)
    story.call(1, 2, 5, "all_reduce", error=TIMED_OUT)
    cause = failing(story, 0, 1)
    assert cause.kind is CauseKind.COLLECTIVE_MISMATCH
    assert cause.exception is not None
    assert "rank 0 had raised ValueError: no" in cause.sentence


def test_mismatch_that_only_the_recorder_sees() -> None:
    story = Story()
    story.together(1, source=Source.FLIGHT_RECORDER, count=4, op="all_gather")
    story.call(0, 2, None, "all_gather", source=Source.FLIGHT_RECORDER)
    story.call(1, 2, None, "all_reduce", source=Source.FLIGHT_RECORDER, reduce_op=None)
    cause = explain(story.facts(ended=6, ended_early_at=5)).cause
    assert cause.kind is CauseKind.COLLECTIVE_MISMATCH
    assert "WORLD collective 5 of the flight recorder's count" in cause.sentence


# Borders


def test_other_operation_after_the_peer_had_given_up_is_no_mismatch() -> None:
    story = Story()
    story.together(1)
    story.call(0, 2, 3, "all_reduce", error=TIMED_OUT)
    story.call(1, 4, 4.1, "barrier", error=CLOSED)
    assert failing(story, 0, 1).kind is CauseKind.LATE_RANK


def test_sizes_may_differ_where_the_operation_allows_it() -> None:
    story = Story()
    story.call(0, 2, 2.1, "all_to_all_single", shapes=((4,),))
    story.call(1, 2, 2.1, "all_to_all_single", shapes=((6,),))
    story.raised(1, 3, "KeyError", "'x'", frames=(at(16, "_plan"),))
    assert failing(story, 1).kind is CauseKind.RANK_EXCEPTION


def test_equal_element_counts_in_another_shape_are_no_mismatch() -> None:
    story = Story()
    story.call(0, 2, 2.1, shapes=((4,),))
    story.call(1, 2, 2.1, shapes=((2, 2),))
    story.raised(1, 3, "KeyError", "'x'", frames=(at(16, "_plan"),))
    assert failing(story, 1).kind is CauseKind.RANK_EXCEPTION


def test_sends_and_receives_are_not_compared_by_number() -> None:
    story = Story()
    story.call(0, 1, 1.1, "send", peer=1)
    story.call(1, 1, 1.1, "recv", peer=0)
    story.together(2)
    story.raised(1, 3, "KeyError", "'x'", frames=(at(16, "_plan"),))
    assert failing(story, 1).kind is CauseKind.RANK_EXCEPTION


def test_difference_that_passing_trials_show_too_is_none() -> None:
    def differing() -> Story:
        story = Story()
        story.call(0, 2, 2.1, reduce_op="SUM")
        story.call(1, 2, 2.1, reduce_op="MAX")
        return story

    passing = differing()
    passing.passed()
    story = differing()
    story.raised(1, 3, "KeyError", "'x'", frames=(at(16, "_plan"),))
    story.exit(1, 4, 1)
    story.failed()
    assert explain(story.facts(), [passing.facts()]).cause.kind is CauseKind.RANK_EXCEPTION
