"""`rank-exception`, `test-assertion`, `port-in-use`, and what is background or a consequence."""

import pytest
from scenario import CLOSED, IN_USE, MAIN, TIMED_OUT, Story, at, library, linked

from app.domain.replay_words import CauseKind
from worker.replay.explain.explain import explain
from worker.replay.facts import Process, Seen, TrialFacts
from worker.replay.trial import Explained

VERIFY = (at(30, "_worker"), at(16, "_verify"))


def failing(story: Story, **codes: int) -> Explained:
    for rank in range(story.world):
        story.exit(rank, 6 + rank / 10, codes.get(f"rank_{rank}", 0))
    story.failed(7)
    return explain(story.facts()).cause


def passing(*raised: tuple[str, str, Seen]) -> TrialFacts:
    story = Story()
    for type_, message, seen in raised:
        story.raised(1, 2, type_, message, seen=seen, frames=VERIFY)
    story.passed()
    return story.facts()


def test_exception_after_the_last_collective_is_the_cause() -> None:
    story = Story()
    story.together(1, count=3)
    story.raised(1, 2, "RuntimeError", "shard digest mismatch", frames=VERIFY)
    cause = failing(story, rank_1=1)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 1)
    assert cause.sentence.startswith(
        "rank 1 raised RuntimeError: shard digest mismatch at tests/test_x.py:16 in _verify"
    )
    assert "after matched WORLD collective number 3" in cause.sentence
    assert cause.facts["exit_code"] == 1
    assert cause.place == "tests/test_x.py:_verify"


def test_earliest_of_several_is_the_origin() -> None:
    story = Story(3)
    story.raised(2, 2.5, "KeyError", "'b'", frames=VERIFY)
    story.raised(0, 2.0, "ValueError", "a", frames=VERIFY)
    cause = failing(story, rank_0=1, rank_2=1)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 0)
    assert cause.consequences == (
        "rank 2 raised KeyError: 'b' at tests/test_x.py:16 in _verify, exit code 1",
    )


def test_lost_connection_is_never_the_origin_even_where_it_is_seen_first() -> None:
    story = Story()
    story.together(1)
    story.call(0, 2, 2.4, error=CLOSED)
    story.raised(1, 2.5, "ValueError", "a", frames=VERIFY)
    story.exit(1, 2.39, 1)
    cause = failing(story, rank_0=1, rank_1=1)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 1)


def test_exception_that_wraps_a_lost_connection_is_a_consequence() -> None:
    story = Story()
    story.together(1)
    story.raised(1, 2, "ValueError", "a", frames=VERIFY)
    story.raised(0, 1.9, "TrainError", "step failed", cause=linked("RuntimeError", CLOSED), frames=VERIFY)
    cause = failing(story, rank_0=1, rank_1=1)
    assert cause.rank == 1


def test_exceptions_behind_another_are_told_with_it() -> None:
    story = Story()
    story.raised(1, 2, "KeyError", "'x'", seen=Seen.HANDLED, frames=VERIFY)
    story.raised(1, 2.1, "PlanError", "no plan", cause=linked("KeyError", "'x'"), frames=VERIFY)
    cause = failing(story, rank_1=1)
    assert cause.exception is not None
    assert cause.exception.cause is not None
    assert (cause.exception.type, cause.exception.cause.type) == ("PlanError", "KeyError")


def test_one_object_that_is_met_again_is_one_exception() -> None:
    story = Story()
    first = story.raised(1, 2, "ValueError", "a", seen=Seen.HANDLED)
    story.raised(1, 2.1, "ValueError", "a", seen=Seen.UNCAUGHT, frames=VERIFY, identity=first)
    cause = failing(story, rank_1=1)
    assert cause.exception is not None
    assert cause.exception.frames[-1].function == "_verify"


def test_background_of_passing_trials_is_no_cause() -> None:
    story = Story()
    story.raised(1, 2, "LookupError", "miss 7", seen=Seen.REPORTED, frames=VERIFY)
    story.raised(1, 3, "ValueError", "a", seen=Seen.REPORTED, frames=VERIFY)
    story.exit(1, 4, 1)
    story.failed()
    cause = explain(story.facts(), [passing(("LookupError", "miss 9", Seen.REPORTED))]).cause
    assert cause.exception is not None
    assert cause.exception.type == "ValueError"


def test_exception_that_passing_trials_only_handled_is_a_difference_once_it_got_out() -> None:
    story = Story()
    story.raised(1, 2, "LookupError", "miss 7", seen=Seen.UNCAUGHT, frames=VERIFY)
    story.exit(1, 4, 1)
    story.failed()
    cause = explain(story.facts(), [passing(("LookupError", "miss 9", Seen.HANDLED))]).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 1)


@pytest.mark.parametrize("knows", [True, False])
def test_handled_exception_is_evidence_only_against_passing_trials(knows: bool) -> None:  # noqa: FBT001 - a table
    story = Story()
    story.raised(1, 2, "ValueError", "a", seen=Seen.HANDLED, frames=VERIFY)
    story.exit(0, 4, 0)
    story.exit(1, 4, 0)
    story.failed(crash="assert 1 == 2")
    cause = explain(story.facts(), [passing()] if knows else []).cause
    assert cause.kind is (CauseKind.RANK_EXCEPTION if knows else CauseKind.TEST_ASSERTION)


def test_crash_before_another_ranks_exception_comes_first() -> None:
    story = Story()
    story.exit(1, 2, -11)
    story.raised(0, 3, "PeerGone", "no answer", frames=VERIFY)
    cause = failing(story, rank_0=1)
    assert (cause.kind, cause.rank) == (CauseKind.CRASH_SIGNAL, 1)


def test_leaving_by_sys_exit_is_no_exception() -> None:
    story = Story()
    story.raised(1, 2, "SystemExit", "0")
    story.exit(0, 3, 0)
    story.exit(1, 3, 0)
    story.failed(crash="assert 1 == 2")
    assert explain(story.facts()).cause.kind is CauseKind.TEST_ASSERTION


def test_wrong_arguments_of_a_collective_are_the_callers_own() -> None:
    story = Story()
    story.together(1)
    story.call(0, 2, 2.01, error="Invalid function argument", type_="TypeError", seen=Seen.UNCAUGHT)
    story.call(1, 2, 2.1, error=CLOSED)
    cause = failing(story, rank_0=1, rank_1=1)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 0)


def test_all_ranks_that_raise_alike_have_no_single_origin() -> None:
    story = Story()
    for rank in (0, 1):
        story.raised(rank, 2 + rank / 10, "ValueError", f"shard {rank}", frames=VERIFY)
    cause = failing(story, rank_0=1, rank_1=1)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, None)
    assert "rank 0 and rank 1 each raised" in cause.sentence


def test_same_type_with_a_chain_of_its_own_makes_one_rank_the_origin() -> None:
    story = Story()
    story.raised(0, 2, "ValueError", "bad", seen=Seen.HANDLED, frames=VERIFY)
    story.raised(1, 2.5, "PlanError", "a rank failed", frames=VERIFY)
    story.raised(0, 2.6, "PlanError", "a rank failed", cause=linked("ValueError", "bad"), frames=VERIFY)
    cause = failing(story, rank_0=1, rank_1=1)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 0)


# The test's own


def test_assertion_of_the_test_on_ranks_that_agree() -> None:
    story = Story()
    story.together(1, count=2)
    cause = failing(story)
    assert (cause.kind, cause.rank) == (CauseKind.TEST_ASSERTION, None)
    assert cause.exception is not None
    assert "ranks agreed" in cause.sentence


def test_same_assertion_with_the_same_values_on_all_ranks_is_the_tests_own() -> None:
    story = Story()
    story.together(1)
    for rank in (0, 1):
        story.raised(rank, 2, "AssertionError", "assert 8.0 == 4.0", frames=VERIFY)
    cause = failing(story, rank_0=1, rank_1=1)
    assert (cause.kind, cause.rank) == (CauseKind.TEST_ASSERTION, None)


@pytest.mark.parametrize("other", ["step took 0.089s", "step took 9e-05s", "step took 1s"])
def test_same_assertion_with_figures_of_its_own_on_each_rank_is_the_tests_own(other: str) -> None:
    story = Story()
    story.together(1)
    for rank, said in enumerate(("step took 0.090s", other)):
        story.raised(rank, 2, "AssertionError", said, frames=VERIFY)
    cause = failing(story, rank_0=1, rank_1=1)
    assert (cause.kind, cause.rank) == (CauseKind.TEST_ASSERTION, None)
    assert "rank 0 and rank 1 alike" in cause.sentence
    assert "each had figures of its own" in cause.sentence


def test_assertions_in_other_words_are_the_ranks_own() -> None:
    story = Story()
    story.together(1)
    for rank, said in enumerate(("shard was lost", "no peer left")):
        story.raised(rank, 2, "AssertionError", said, frames=VERIFY)
    assert failing(story, rank_0=1, rank_1=1).kind is CauseKind.RANK_EXCEPTION


def test_assertion_on_one_rank_only_is_its_exception() -> None:
    story = Story()
    story.together(1)
    story.raised(0, 2, "AssertionError", "norm drifted", frames=VERIFY)
    story.call(1, 2, 2.5, "barrier", error=CLOSED)
    cause = failing(story, rank_0=1, rank_1=1)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 0)


def test_assertion_about_exit_codes_that_nothing_explains_is_not_explained() -> None:
    story = Story()
    cause = failing(story, rank_1=3)
    assert (cause.kind, cause.rank) == (CauseKind.NOT_EXPLAINED, 1)
    assert "rank 1 ended with exit code 3" in cause.sentence


@pytest.mark.parametrize(
    ("crash", "kind"),
    [("assert 1 == 2", CauseKind.TEST_ASSERTION), ("KeyError: 'x'", CauseKind.RANK_EXCEPTION)],
)
def test_without_ranks_the_tests_own_process_is_told_of(crash: str, kind: CauseKind) -> None:
    story = Story(0)
    story.failed(crash=crash, assertion=crash.startswith("assert"))
    cause = explain(story.facts()).cause
    assert (cause.kind, cause.rank) == (kind, None)
    assert cause.exception is not None


def test_without_ranks_a_worker_of_a_pool_is_named() -> None:
    story = Story(0)
    story.add("processes", Process(55, MAIN, ("python",), 1, name="Loader-1", observed=True))
    story.add("raised", story_exception(55))
    story.failed()
    cause = explain(story.facts()).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, None)
    assert cause.sentence.startswith("process Loader-1 raised KeyError")


def story_exception(pid: int):  # noqa: ANN201 - a fact
    story = Story(0)
    story.raised(None, 2, "KeyError", "'x'", frames=VERIFY)
    return type(story.said["raised"][0])(
        **{
            name: getattr(story.said["raised"][0], name)
            for name in ("t", "thread", "seen", "type", "message", "identity", "frames")
        },
        pid=pid,
    )


def test_test_that_only_ran_out_of_patience_is_not_explained() -> None:
    story = Story(0)
    story.failed(crash="Empty: ", assertion=False)
    assert explain(story.facts()).cause.kind is CauseKind.NOT_EXPLAINED


def test_timeout_without_anything_else_shows_the_raw_timeline() -> None:
    story = Story()
    story.together(1)
    explanation = explain(story.facts(timed_out=True))
    assert explanation.cause.kind is CauseKind.NOT_EXPLAINED
    assert any("entered WORLD 1 all_reduce(SUM)" in line for line in explanation.timeline)


# Ports


def test_bind_that_was_refused_in_init_is_a_port_in_use() -> None:
    story = Story(inits=False)
    story.init(0, 1, 1.1, IN_USE, type="torch.distributed.DistNetworkError")
    story.init(1, 1, None)
    story.sent(None, 1, 6, target_state="S", target_cpu_grew=False)
    story.exit(1, 6.1, -15)
    story.exit(0, 1.3, 1)
    story.failed(7)
    cause = explain(story.facts()).cause
    assert (cause.kind, cause.rank) == (CauseKind.PORT_IN_USE, 0)
    assert "EADDRINUSE" in cause.sentence
    assert len(cause.consequences) == 1


def test_errno_alone_tells_a_port_in_use() -> None:
    story = Story(0)
    story.raised(None, 2, "OSError", "nope", seen=Seen.UNCAUGHT, errno=98, frames=(library(),))
    story.failed(crash="OSError: nope", assertion=False)
    assert explain(story.facts()).cause.kind is CauseKind.PORT_IN_USE


def test_bind_that_was_tried_again_is_no_cause() -> None:
    story = Story()
    story.raised(0, 2, "OSError", "Address already in use", seen=Seen.HANDLED, errno=98)
    story.together(3)
    assert failing(story).kind is CauseKind.TEST_ASSERTION


def test_later_refused_bind_is_not_the_cause_of_an_earlier_exception() -> None:
    story = Story()
    story.raised(0, 2, "ValueError", "a", frames=VERIFY)
    story.raised(1, 3, "OSError", "Address already in use", errno=98)
    assert failing(story, rank_0=1, rank_1=1).kind is CauseKind.RANK_EXCEPTION


def test_lonely_timeout_with_a_timeout_of_the_group_is_not_the_tests_assertion() -> None:
    story = Story()
    story.together(1)
    story.raised(1, 2, "RuntimeError", TIMED_OUT, seen=Seen.HANDLED)
    assert failing(story).kind is CauseKind.NOT_EXPLAINED
