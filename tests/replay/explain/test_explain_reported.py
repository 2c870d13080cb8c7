"""What pytest's results file says of a bare trial's test: its own failure, or one that may hide a rank's."""

import pytest
from scenario import MAIN, Story, at, library, ns

from app.domain.replay_words import CauseKind
from worker.replay.explain.explain import explain
from worker.replay.facts import Phase, Process
from worker.replay.trial import Explained

FRAMES = (at(80, "test_x"), at(3, "_check"), library())


def reported(story: Story, crash: str, *, opaque: bool = False, behind: tuple[str, ...] = ()) -> Explained:
    phase = Phase(ns(9.2), MAIN, "t", "call", "failed", crash, "x.py", 3, FRAMES, behind, opaque)
    story.add("phases", phase)
    story.exit(None, 9.2, 1)
    return explain(story.facts()).cause


def alone() -> Story:
    return Story(0, bare=True)


def with_ranks(*codes: int) -> Story:
    story = Story(len(codes), bare=True)
    for rank, code in enumerate(codes):
        story.exit(rank, 5 + rank / 10, code)
    return story


@pytest.mark.parametrize("crash", ["assert 1 == 2", "AssertionError: 1 is not 2", "Failed: no answer"])
def test_assertion_of_a_test_alone_is_its_own(crash: str) -> None:
    cause = reported(alone(), crash)
    assert (cause.kind, cause.rank, cause.place) == (CauseKind.TEST_ASSERTION, None, "tests/test_x.py:_check")
    assert "at tests/test_x.py:3 in _check" in cause.sentence


def test_bare_and_probed_trials_say_the_same_of_it() -> None:
    probed = Story(0)
    probed.failed(9, "assert 1 == 2")
    story = alone()
    crash = "assert 1 == 2"
    story.add("phases", Phase(ns(9.2), MAIN, "t", "call", "failed", crash, frames=(at(80, "test_x"),)))
    story.exit(None, 9.2, 1)
    mine, other = explain(story.facts()).cause, explain(probed.facts()).cause
    assert (mine.kind, mine.place, mine.sentence) == (other.kind, other.place, other.sentence)
    assert mine.exception == other.exception


def test_other_exception_of_a_test_alone_is_an_exception_without_rank() -> None:
    cause = reported(alone(), "json.JSONDecodeError: Expecting\nvalue")
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, None)
    assert cause.exception is not None
    assert cause.exception.type == "json.JSONDecodeError"


def test_what_it_was_raised_from_is_told_and_judged() -> None:
    cause = reported(alone(), "RuntimeError: no plan", behind=("KeyError: 'step'", "ValueError: b"))
    assert cause.exception is not None
    assert cause.exception.context is not None
    assert cause.exception.context.type == "ValueError"
    assert cause.exception.context.context is not None
    assert cause.exception.context.context.type == "KeyError"
    lost = reported(alone(), "RuntimeError: no plan", behind=("TimeoutError: worker",))
    assert lost.kind is CauseKind.NOT_EXPLAINED


@pytest.mark.parametrize("codes", [(), (0, 0), (0, 1)])
def test_assertion_that_names_no_cause_may_hide_a_rank_or_a_thread(codes: tuple[int, ...]) -> None:
    assert reported(with_ranks(*codes), "assert False", opaque=True).kind is CauseKind.NOT_EXPLAINED


@pytest.mark.parametrize(
    "crash",
    [
        "assert [\"KeyError('step')\"] == []",
        "assert 'Traceback (most' == ''",
        "assert ['Timed out waiting 3000ms for recv operation to complete'] == []",
        "RuntimeError: rank 1 said no",
        "assert [2.0, 1073741824.0] == [4.0, 4.0]",
    ],
)
def test_failure_beside_ranks_whose_collectives_nobody_saw_is_not_the_tests_own(crash: str) -> None:
    assert reported(with_ranks(0, 0), crash).kind is CauseKind.NOT_EXPLAINED


def test_assertion_beside_a_rank_that_failed_is_not_the_cause() -> None:
    assert reported(with_ranks(0, 1), "assert 1 == 2").kind is CauseKind.NOT_EXPLAINED


def test_attendant_of_multiprocessing_is_nobody_who_can_have_failed() -> None:
    story = alone()
    tracker = ("python", "-c", "from multiprocessing.resource_tracker import main;main(11)")
    story.add("processes", Process(4, MAIN, tracker, 1))
    assert reported(story, "ValueError: a").kind is CauseKind.RANK_EXCEPTION
    forked = alone()
    forked.add("processes", Process(4, MAIN, tracker, 1, began="fork"))
    assert reported(forked, "ValueError: a").kind is CauseKind.NOT_EXPLAINED


@pytest.mark.parametrize("crash", ["", "[XPASS(strict)] why", "file /w/x.py, line 3", "::"])
def test_words_that_name_no_exception_are_none(crash: str) -> None:
    assert reported(alone(), crash).exception is None
